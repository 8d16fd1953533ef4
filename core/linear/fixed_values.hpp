// FixedValues: the numbers of a term, or of the target, as integers: (x − centre) × scale. Sums of their products are
// then exact, and the same for every order of rows and every number of threads.
#pragma once

#include <algorithm>  // for clamp, min, max
#include <bit>        // for bit_width
#include <cmath>      // for frexp, isfinite, ldexp, llround
#include <cstdint>    // for int64_t
#include <limits>     // for numeric_limits

#include "linear/equation_term.hpp"
#include "table/target.hpp"

namespace tw {

// So many bits that Σ w d d' stays below 2^127 for differences d of two such values.
inline int fixed_bits(const Target& target) {
  std::int64_t weight = 0;
  for (auto row : target.rows) weight += target.weight_of(row);
  return std::min(50, (123 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(weight)))) / 2);
}

struct FixedValues {
  double centre = 0, scale = 0;  // scale is a power of two, or 0 where all values are the same
  std::int64_t fill = 0;         // of a row without a finite value: the mean of the others

  std::int64_t of(double x) const {
    return std::isfinite(x) ? static_cast<std::int64_t>(std::llround((x - centre) * scale)) : fill;
  }
  double real(double fixed) const { return scale > 0 ? centre + fixed / scale : centre; }
};

// value_of(row) gives a number; NaN and infinities do not count.
template <class ValueOf>
FixedValues make_fixed_values(const Target& target, int bits, ValueOf value_of) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (auto row : target.rows) {
    const double x = value_of(row);
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  FixedValues fixed;
  if (!(low <= high)) return fixed;
  fixed.centre = low / 2 + high / 2;
  int exponent = 0;
  std::frexp(std::max(high - fixed.centre, fixed.centre - low), &exponent);
  if (low < high) fixed.scale = std::ldexp(1.0, std::clamp(bits - exponent, -1022, 1023));
  __int128 sum = 0, weight = 0;
  for (auto row : target.rows) {
    const double x = value_of(row);
    if (std::isfinite(x))
      sum += static_cast<__int128>(target.weight_of(row)) * fixed.of(x), weight += target.weight_of(row);
  }
  fixed.fill = static_cast<std::int64_t>(sum / weight);
  return fixed;
}

}  // namespace tw
