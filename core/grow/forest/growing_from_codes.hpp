// SubtreeBlock: the codes of a subtree's rows, copied next to each other. The rows are numbered from 0 in it.
#pragma once

#include <algorithm>  // for copy_n
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "base/huge_memory.hpp"
#include "grow/candidate.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/growing_tree.hpp"

namespace tw {

class SubtreeBlock {
 public:
  // Column by column.
  CodeView by_columns(const ForestCodes& codes, std::uint32_t* rows, std::uint32_t n) {
    const std::size_t p = codes.n_columns;
    columns_.resize(n * p + 1);  // gathering reads two codes at a time
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n) prefetch(codes, rows[i + kAhead]);
      const std::uint16_t* from = codes.row(rows[i]);
      for (std::size_t c = 0; c < p; ++c) columns_[c * n + i] = from[c];
      rows[i] = i;
    }
    return {columns_.data(), 1, n};
  }

  // Row by row.
  CodeView by_rows(const ForestCodes& codes, std::uint32_t* rows, std::uint32_t n) {
    const std::size_t p = codes.n_columns;
    if (rows_.size() < n * p) rows_.resize(n * p);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n) prefetch(codes, rows[i + kAhead]);
      std::copy_n(codes.row(rows[i]), p, rows_.data() + i * p);
      rows[i] = i;
    }
    return {rows_.data(), p, 1};
  }

 private:
  static constexpr std::uint32_t kAhead = 8;
  static constexpr std::size_t kLine = 64 / sizeof(std::uint16_t);  // codes in a line of the cache

  static void prefetch(const ForestCodes& codes, std::uint32_t row) {
    for (std::size_t c = 0; c < codes.n_columns; c += kLine) __builtin_prefetch(codes.row(row) + c);
  }

  std::vector<std::uint16_t> columns_;
  HugeVector<std::uint16_t> rows_;
};

// GrowingFromCodes: a tree that is grown from codes, whatever the search: the codes of a node, and its test.

class GrowingFromCodes : protected GrowingTree {
 protected:
  static constexpr std::uint32_t kTogether = 16;  // columns

  GrowingFromCodes(const ForestCodes& codes, const Target& target, const ForestRules& rules, Workers& workers)
      : GrowingTree(codes.columns, target, rules, workers), codes_(codes),
        block_rows_(rows_in_block(2 * codes.n_columns)) {}

  void make_room();
  void forget_block();
  void choose_view(const Pending& node);
  // Puts the codes of a column into codes_of_node_, if they are still at hand without looking at the rows.
  void fetch_codes(std::int32_t column, const std::uint32_t* rows, std::uint32_t n);
  // Draws columns and fetches their codes and ranges at once.
  void gather_together(std::uint32_t count, const std::uint32_t* rows, std::uint32_t n);

  // side_of_row_[i]: 1 where row i of the node takes branch 0, 2 where it takes branch 1.
  void mark_sides(const Pending& node, const Candidate& winner);
  void write_inner(const Pending& node, const Candidate& winner, double gain, bool first_is_heavier);
  // A cut between two codes of a column in which no row of the node is missing.
  void write_cut(std::int32_t column, std::uint32_t left_code, std::uint32_t right_code, double gain,
                 bool first_is_heavier);

  const ForestCodes& codes_;
  std::uint32_t block_rows_ = 0, block_end_ = 0;
  CodeView view_;
  std::vector<std::uint32_t> together_;
  std::vector<CodeRange> ranges_;
  std::int32_t kept_ = -1;  // the column whose codes are in codes_of_best_
  std::vector<std::uint16_t> codes_of_best_, codes_of_node_, codes_together_;
  SubtreeBlock block_;
  std::vector<std::uint8_t> side_;

 private:
  double threshold(const Pending& node, const Candidate& winner, const ForestColumn& column) const;
  static double threshold(const ForestColumn& column, std::uint32_t left_code, std::uint32_t right_code);
};

}  // namespace tw
