// What turns sums into answers: e^x, the sigmoid and the softmax, by the same additions and multiplications on every
// machine. The exports write the same steps in their own languages, so that probabilities that leave have the last
// bits of those that stay: two libraries that round e^x otherwise once in a hundred numbers are already enough to
// move a share of three classes by three units in the last place. `exponential.hpp` is the faster, less exact one for
// training.
#pragma once

#include <bit>      // for bit_cast
#include <cmath>    // for floor
#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t
#include <limits>   // for infinity

namespace tw {

constexpr double kTinyPower = -745.1332191019412, kLargePower = 709.782712893384;  // beyond them 0 and infinity
constexpr double kFarSigmoid = -700;  // below it 1 / (1 + e^-x) is e^x, and e^-x soon infinite

// 2^k for k of an ordinary double.
inline double power_of_two(std::int64_t k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

// e^x, off by less than 0.7 units in the last place: x = k ln 2 + r, Taylor's series for r, what the additions lose
// kept apart until the last one.
inline double power_of_e(double x) {
  if (!(x >= kTinyPower)) return x < kTinyPower ? 0.0 : x;
  if (x > kLargePower) return std::numeric_limits<double>::infinity();
  constexpr double kParts[] = {1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                               1.0 / 362880,      1.0 / 40320,      1.0 / 5040,      1.0 / 720,      1.0 / 120,
                               1.0 / 24,          1.0 / 6,          1.0 / 2};  // 1/14! … 1/2!
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  const double high = x - k * 6.93147180369123816490e-1;  // the first digits of ln 2: the product is exact
  const double low = k * 1.90821492927058770002e-10;      // the next ones
  const double r = high - low, rest = (high - r) - low;
  double series = 0.0;
  for (const double part : kParts) series = series * r + part;
  const double small = rest + r * r * series, above = r + small, rounded = 1.0 + above;
  const double power = rounded + ((above - (rounded - 1.0)) + (small - (above - r)));
  const auto whole = static_cast<std::int64_t>(k), half = whole >> 1;  // in two steps, as it may be tiny
  return power * power_of_two(half) * power_of_two(whole - half);
}

inline double sigmoid(double x) { return x < kFarSigmoid ? power_of_e(x) : 1.0 / (1.0 + power_of_e(-x)); }

// The shares of e^x, added up from the first to the last.
inline void softmax(const double* scores, std::size_t n, double* shares) {
  double most = n > 0 ? scores[0] : 0.0, total = 0.0;
  for (std::size_t i = 1; i < n; ++i) most = scores[i] > most ? scores[i] : most;
  for (std::size_t i = 0; i < n; ++i) total += shares[i] = power_of_e(scores[i] - most);
  for (std::size_t i = 0; i < n; ++i) shares[i] /= total;
}

}  // namespace tw
