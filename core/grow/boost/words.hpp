// What is added up at a node: gradient and hessian of each row in fixed point, so that sums do not depend on any order.
//
// Nearly always both fit into one word of 64 bits, the gradient above the hessian, and one addition adds both. The
// scale is chosen each round so that the sum of all absolute gradients is below 2^30: no sum of any rows can then
// overflow into the other half. Where a few rows outweigh all others by so much that these would be rounded away, two
// words are used.
#pragma once

#include <cstdint>  // for int64_t

namespace tw {

using PackedWord = std::int64_t;  // gradient << 32, plus the hessian

struct DoubleWord {
  std::int64_t gradient = 0, hessian = 0;

  DoubleWord& operator+=(const DoubleWord& other) {
    gradient += other.gradient, hessian += other.hessian;
    return *this;
  }
  DoubleWord operator+(const DoubleWord& other) const { return DoubleWord(*this) += other; }
  DoubleWord& operator-=(const DoubleWord& other) {
    gradient -= other.gradient, hessian -= other.hessian;
    return *this;
  }
};

inline std::int64_t gradient_of(PackedWord word) { return word >> 32; }
inline std::int64_t hessian_of(PackedWord word) { return word & 0xffffffff; }
inline std::int64_t gradient_of(const DoubleWord& word) { return word.gradient; }
inline std::int64_t hessian_of(const DoubleWord& word) { return word.hessian; }

// How many bits the sum of all absolute gradients, and of all hessians, may have before they are rounded. A row adds at
// most one unit by rounding, and packed words are only taken for up to 2^22 rows: each half of a sum has 31 bits.
template <class Word>
struct WordTraits;
template <>
struct WordTraits<PackedWord> {
  static constexpr int kSumBits = 30;
};
template <>
struct WordTraits<DoubleWord> {
  static constexpr int kSumBits = 50;
};

// The sums of some rows, whatever the words.
struct GradientSum {
  std::int64_t gradient = 0, hessian = 0;

  GradientSum operator+(const GradientSum& other) const { return {gradient + other.gradient, hessian + other.hessian}; }
  GradientSum operator-(const GradientSum& other) const { return {gradient - other.gradient, hessian - other.hessian}; }
};

template <class Word>
GradientSum sum_of(const Word& word) {
  return {gradient_of(word), hessian_of(word)};
}

}  // namespace tw
