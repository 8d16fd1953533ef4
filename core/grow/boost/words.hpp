// What is added up at a node: gradient and hessian of each row in fixed point, so that sums do not depend on any order.
//
// Nearly always both fit into one word of 64 bits, the gradient above the hessian, and one addition adds both. The
// scale is chosen each round so that no sum of any rows can overflow into another part. On tables of few rows the word
// has a third part, the number of rows: there most nodes are so small that the rows of a branch decide what may be
// split. Where a few rows outweigh all others by so much that these would be rounded away, a word for each is used.
#pragma once

#include <algorithm>  // for min
#include <bit>        // for bit_width
#include <cstdint>    // for int64_t, uint64_t

namespace tw {

using PackedWord = std::int64_t;  // gradient above hessian above rows; where each begins says the WordLayout

struct WideWord {
  std::int64_t gradient = 0, hessian = 0, rows = 0;

  WideWord& operator+=(const WideWord& other) {
    gradient += other.gradient, hessian += other.hessian, rows += other.rows;
    return *this;
  }
  WideWord& operator-=(const WideWord& other) {
    gradient -= other.gradient, hessian -= other.hessian, rows -= other.rows;
    return *this;
  }
};

// Where the parts of a word stand. The sum of all absolute gradients has gradient_bits before rounding, that of all
// hessians hessian_bits; each part has a bit more, for what rounding adds, and the gradient one for its sign.
struct WordLayout {
  static constexpr int kMostCounted = 14;  // bits of the number of rows

  int row_bits = 0;  // 0: rows are not counted
  int gradient_bits = 30, hessian_bits = 30;
  int gradient_at = 32;  // the hessian stands from row_bits up to here

  static WordLayout counting(std::uint64_t rows) {
    WordLayout layout;
    layout.row_bits = std::bit_width(rows);
    const int left = 64 - 3 - layout.row_bits;
    layout.hessian_bits = left / 2;
    layout.gradient_bits = std::min(30, left - layout.hessian_bits);
    layout.gradient_at = layout.row_bits + layout.hessian_bits + 1;
    return layout;
  }
  static WordLayout plain() { return {}; }
  static WordLayout wide() { return {62, 50, 50, 0}; }

  bool counts_rows() const { return row_bits > 0; }
  std::int64_t largest_hessian() const { return (std::int64_t{1} << (gradient_at - row_bits)) - 1; }
  std::int64_t largest_rows() const { return (std::int64_t{1} << row_bits) - 1; }
};

// The sums of some rows, whatever the words. rows: 0 where words do not count them.
struct GradientSum {
  std::int64_t gradient = 0, hessian = 0, rows = 0;

  GradientSum operator+(const GradientSum& other) const {
    return {gradient + other.gradient, hessian + other.hessian, rows + other.rows};
  }
  GradientSum operator-(const GradientSum& other) const {
    return {gradient - other.gradient, hessian - other.hessian, rows - other.rows};
  }
};

inline GradientSum sum_of(PackedWord word, const WordLayout& layout) {
  return {word >> layout.gradient_at, (word >> layout.row_bits) & layout.largest_hessian(),
          word & layout.largest_rows()};
}
inline GradientSum sum_of(const WideWord& word, const WordLayout&) { return {word.gradient, word.hessian, word.rows}; }

inline void put(const GradientSum& sum, const WordLayout& layout, PackedWord& to) {
  to = (sum.gradient << layout.gradient_at) + (sum.hessian << layout.row_bits) + (layout.counts_rows() ? sum.rows : 0);
}
inline void put(const GradientSum& sum, const WordLayout&, WideWord& to) { to = {sum.gradient, sum.hessian, sum.rows}; }

// Whether a sum has no row in it: no hessian is below one unit.
inline bool is_empty(PackedWord word) { return word == 0; }
inline bool is_empty(const WideWord& word) { return word.hessian == 0; }

}  // namespace tw
