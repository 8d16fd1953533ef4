// A sum of doubles that is the same for any order of them: added up as whole numbers of two units.
#pragma once

#include <algorithm>  // for max
#include <bit>        // for bit_width
#include <cmath>      // for abs, floor, frexp, isfinite, ldexp
#include <cstddef>    // for size_t
#include <cstdint>    // for int64_t

#include "base/peers.hpp"

namespace tw {

class FixedSum {
 public:
  // For at most `count` numbers, none of them larger than `largest` in absolute value.
  FixedSum(double largest, std::size_t count) {
    std::frexp(largest, &exponent_);
    count_bits_ = std::bit_width(count);
    exponent_ += count_bits_ - kBits;
  }

  void add(double x) {
    const double units = std::ldexp(x, -exponent_), whole = std::floor(units);
    high_ += static_cast<std::int64_t>(whole);
    low_ += static_cast<std::int64_t>(std::ldexp(units - whole, kBits - count_bits_));
  }

  void add(const FixedSum& other) { high_ += other.high_, low_ += other.low_; }
  // What peers have added to theirs, which were made for the same numbers.
  void add_those_of(Peers& peers) {
    std::int64_t parts[] = {high_, low_};
    peers.add(parts);
    high_ = parts[0], low_ = parts[1];
  }

  double value() const {
    const double low = std::ldexp(static_cast<double>(low_), count_bits_ - kBits);
    return std::ldexp(static_cast<double>(high_) + low, exponent_);
  }

 private:
  static constexpr int kBits = 62;
  int exponent_ = 0, count_bits_ = 0;
  std::int64_t high_ = 0, low_ = 0;
};

// The sum of number_of(0), number_of(1) … number_of(n - 1), and of those of the peers.
template <class NumberOf>
double sum_in_any_order(std::size_t n, NumberOf&& number_of, Peers& peers = Peers::none()) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(number_of(i)));
  largest = peers.largest(largest);
  if (!std::isfinite(largest)) return largest;
  FixedSum sum(largest, static_cast<std::size_t>(peers.sum(static_cast<std::int64_t>(n))));
  for (std::size_t i = 0; i < n; ++i) sum.add(number_of(i));
  sum.add_those_of(peers);
  return sum.value();
}

}  // namespace tw
