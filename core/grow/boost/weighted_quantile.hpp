// The quantile of weighted numbers: the smallest one that has at least `share` of the weight at or below it; where it
// has exactly that share, the middle between it and the next one (so that one half is the median of the schools).
#pragma once

#include <algorithm>  // for sort, nth_element
#include <cmath>      // for floor
#include <cstdint>    // for int64_t
#include <utility>    // for pair
#include <vector>     // for vector

namespace tw {

struct WeightedNumber {
  double number = 0;
  double weight = 1;
};

// Rearranges the numbers, of which there is at least one.
inline double quantile_of(std::vector<double>& numbers, double share) {
  const double place = share * static_cast<double>(numbers.size());
  const double whole = std::floor(place);
  const bool between = whole == place && whole >= 1 && whole < static_cast<double>(numbers.size());
  const auto at = static_cast<std::size_t>(between ? whole - 1 : std::min(whole, double(numbers.size() - 1)));
  std::nth_element(numbers.begin(), numbers.begin() + at, numbers.end());
  if (!between) return numbers[at];
  const double next = *std::min_element(numbers.begin() + at + 1, numbers.end());
  return numbers[at] + (next - numbers[at]) / 2;
}

// Weights are added up as whole multiples of 2^-40 of their sum, so that equal numbers may come in any order.
inline double quantile_of(std::vector<WeightedNumber>& numbers, double share) {
  std::sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) {
    return a.number != b.number ? a.number < b.number : a.weight < b.weight;
  });
  double total = 0;
  for (const auto& each : numbers) total += each.weight;
  const double target = share * total, slack = total * 0x1p-40;
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sum += numbers[i].weight;
    if (sum < target - slack || numbers[i].weight == 0) continue;
    if (sum > target + slack) return numbers[i].number;
    for (std::size_t j = i + 1; j < numbers.size(); ++j)
      if (numbers[j].weight > 0) return numbers[i].number + (numbers[j].number - numbers[i].number) / 2;
    return numbers[i].number;
  }
  return numbers.back().number;
}

}  // namespace tw
