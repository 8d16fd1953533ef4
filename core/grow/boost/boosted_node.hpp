// What is added up at a node: gradient and hessian of each row in fixed point, so that sums do not depend on any order.
//
// Nearly always both fit into one word of 64 bits, the gradient above the hessian, and one addition adds both. The
// scale is chosen each round so that the sum of all absolute gradients is below 2^30: no sum of any rows can then
// overflow into the other half. Where a few rows outweigh all others by so much that these would be rounded away, two
// words are used.
#pragma once

#include <cstdint>  // for int64_t, int32_t
#include <limits>   // for numeric_limits
#include <vector>   // for vector

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

// The nodes of a tree while it is boosted, in the order in which they were made.

// A test and how good it is.
struct BoostSplit {
  std::int32_t column = -1;
  std::int64_t rank = 0;  // its score on the grid by which splits are compared
  double score = 0;
  std::uint32_t cut = 0;        // the last place on the left in the order of the bins or levels, from 0
  std::uint32_t last_code = 0;  // ordered columns: the code at that place
  bool missing_second = false;  // rows without a value take branch 1
  bool saw_missing = false;
  GradientSum left;
  std::vector<std::uint32_t> levels;  // nominal columns: those that the node has, in the order of their ratio

  bool found() const { return column >= 0; }
};

struct BoostedNode {
  std::uint32_t begin = 0, end = 0;  // its rows, in the buffer of this number
  int buffer = 0;
  GradientSum sum;
  std::int32_t parent = -1, child[2] = {-1, -1};
  std::int32_t depth = 0;
  std::uint64_t key = 0;  // of its random numbers, by its place in the tree
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  std::vector<std::uint32_t> groups;  // of columns that may still meet below it
  double undivided = 0;               // the score of the node as it is
  BoostSplit split;
  std::vector<std::uint8_t> side;  // by code: the branch; empty at a leaf
  double value = 0;                // of a leaf, shrunk

  bool is_leaf() const { return child[0] < 0; }
  std::uint32_t size() const { return end - begin; }
};

}  // namespace tw
