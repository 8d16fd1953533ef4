#include "grow/tables/chaid/bonferroni.hpp"

#include <algorithm>  // for max, min
#include <cmath>      // for frexp, ldexp, log
#include <cstdint>    // for int64_t
#include <numbers>    // for ln2
#include <vector>     // for vector

namespace tw::chaid {
namespace {

// A number of 0 or more beyond the range of a double. Wide columns have more partitions than 1e308.
struct Wide {
  double share = 0;  // 0, or from 0.5 to below 1
  std::int64_t power = 0;

  static Wide of(double share, std::int64_t power) {
    int shift = 0;
    share = std::frexp(share, &shift);
    return {share, share > 0 ? power + shift : 0};
  }
  Wide operator*(double factor) const { return of(share * factor, power); }
  Wide operator+(const Wide& other) const {
    if (share == 0) return other;
    if (other.share == 0) return *this;
    const std::int64_t top = std::max(power, other.power);
    const auto lowered = [top](const Wide& w) {
      return std::ldexp(w.share, int(std::max<std::int64_t>(w.power - top, -2000)));
    };
    return of(lowered(*this) + lowered(other), top);
  }
  double log() const { return std::log(share) + double(power) * std::numbers::ln2; }
};

constexpr Wide kOne{0.5, 1};

// How many ways there are to take some of all; none if there are not so many.
Wide choices(std::size_t all, std::size_t some) {
  if (some > all) return {};
  Wide ways = kOne;
  for (std::size_t k = 1; k <= std::min(some, all - some); ++k) ways = ways * (double(all - k + 1) / double(k));
  return ways;
}

// Stirling's numbers of the second kind: S(c, r) = r S(c − 1, r) + S(c − 1, r − 1).
Wide set_partitions(std::size_t categories, std::size_t groups) {
  std::vector<Wide> ways(groups + 1);
  ways[0] = kOne;
  for (std::size_t c = 1; c <= categories; ++c) {
    for (std::size_t r = std::min(c, groups); r >= 1; --r) ways[r] = ways[r] * double(r) + ways[r - 1];
    ways[0] = {};
  }
  return ways[groups];
}

}  // namespace

double log_partitions(Merging merging, std::size_t categories, std::size_t groups) {
  if (merging == Merging::monotonic) return choices(categories - 1, groups - 1).log();
  if (merging == Merging::free) return set_partitions(categories, groups).log();
  const Wide missing_alone = choices(categories - 2, groups - 2);
  return (missing_alone + choices(categories - 2, groups - 1) * double(groups)).log();
}

double log_pairs_tested(Merging merging, std::size_t categories, bool as_spss) {
  const auto c = double(categories);
  if (merging != Merging::free) return std::log(c * (c - 1) / 2);
  return std::log(c * (c * c - 1) / (as_spss ? 2 : 6));
}

}  // namespace tw::chaid
