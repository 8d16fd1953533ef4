// Random words by number: word i of a stream is a function of the stream's key and i. There is no state, so that any
// thread can draw any word at any time and the same model comes out.
#pragma once

#include <cmath>             // for cos, log, sqrt
#include <cstdint>           // for uint64_t
#include <initializer_list>  // for initializer_list
#include <numbers>           // for pi

namespace tw {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;

// Scatters 64 bits: the finisher of splitmix64 (Steele, Lea and Flood 2014).
constexpr std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
  return word ^ (word >> 31);
}

// The key of a stream out of several numbers, such as seed, column and repeat.
constexpr std::uint64_t stream_key(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t word = 0;
  for (const std::uint64_t part : parts) word = mixed(word + kGolden + part);
  return word;
}

constexpr std::uint64_t drawn(std::uint64_t stream, std::uint64_t index) {
  return mixed(stream + kGolden * (index + 1));
}

// A number between 0 and 1 from the upper 53 bits: never 0, and 1 once in 2^53, where the half is rounded up.
constexpr double unit_number(std::uint64_t word) { return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53; }

// A whole number below `bound`, which is at most 2^32.
constexpr std::uint64_t below(std::uint64_t word, std::uint64_t bound) { return (word >> 32) * bound >> 32; }

// Number `index` of a stream of standard normal numbers (Box and Muller, the cosine half only).
inline double drawn_normal(std::uint64_t stream, std::uint64_t index) {
  const double radius = std::sqrt(-2 * std::log(unit_number(drawn(stream, 2 * index))));
  return radius * std::cos(2 * std::numbers::pi * unit_number(drawn(stream, 2 * index + 1)));
}

}  // namespace tw
