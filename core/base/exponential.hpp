// e^x by the same few multiplications on every machine. The library's exp may differ in the last bit between systems,
// and it cannot be computed for many rows side by side; this one has neither branch nor table, so compilers make vectors
// of it. The error is below 2 units in the last place.
#pragma once

#include <algorithm>  // for clamp
#include <bit>        // for bit_cast
#include <cstdint>    // for int64_t

namespace tw {

// Beyond these numbers e^x is no ordinary double; the result stays at theirs.
constexpr double kLowestExponent = -708, kHighestExponent = 709;

inline double exponential(double x) {
  x = x < kLowestExponent ? kLowestExponent : x > kHighestExponent ? kHighestExponent : x;
  constexpr double kRound = 0x1.8p52;  // adding it rounds to a whole number, which then stands in the lowest bits
  const double shifted = x * 1.4426950408889634 + kRound;
  const double k = shifted - kRound;
  const double r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b3ap-40;  // x − k·ln 2, ln 2 in two parts
  double sum = 1.0 / 6227020800;                                               // Taylor's series; |r| ≤ 0.347
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = (sum * r + 1.0) * r + 1.0;
  const auto power = static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(shifted) + 1023) << 52;  // 2^k
  return sum * std::bit_cast<double>(power);
}

}  // namespace tw
