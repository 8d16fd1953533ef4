// TreeRoom: the trees of a forest are about equally large, so the next one gets the room that the last one took.
#pragma once

#include <algorithm>  // for copy_n
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "base/huge_memory.hpp"
#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"
#include "grow/candidate.hpp"
#include "grow/exact/pair_sum.hpp"
#include "grow/forest/all_pairs.hpp"
#include "grow/forest/drawn_rows.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/forest_rules.hpp"
#include "grow/forest/level_orders.hpp"
#include "grow/forest/random_cut.hpp"
#include "grow/forest/tree_weights.hpp"
#include "tree/tree.hpp"

namespace tw {

class TreeRoom {
 public:
  void make(SmallTree& tree, bool is_regression) const {
    tree.test.reserve(n_inner_ + n_leaves_);
    tree.column.reserve(n_inner_), tree.threshold.reserve(n_inner_), tree.gain.reserve(n_inner_);
    tree.n_rows.reserve(n_leaves_), tree.weight.reserve(n_leaves_), tree.impurity.reserve(n_leaves_);
    if (is_regression) return tree.value.reserve(n_leaves_);
    tree.count_start.reserve(n_leaves_ + 1);
    tree.count_class.reserve(n_leaves_), tree.count_weight.reserve(n_leaves_);
  }

  void remember(const SmallTree& tree) {  // and a little more
    n_inner_ = tree.column.size() * 17 / 16, n_leaves_ = tree.n_leaves() * 17 / 16;
  }

 private:
  std::size_t n_inner_ = 0, n_leaves_ = 0;
};

// SubtreeBlock: the codes of a subtree's rows, copied next to each other. The rows are numbered from 0 in it.

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

  // Row by row, each of which begins a line of the cache.
  CodeView by_rows(const ForestCodes& codes, std::uint32_t* rows, std::uint32_t n) {
    const std::size_t p = codes.n_columns, step = (p + kLine - 1) / kLine * kLine;
    if (rows_.size() < n * step) rows_.resize(n * step);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n) prefetch(codes, rows[i + kAhead]);
      std::copy_n(codes.row(rows[i]), p, rows_.data() + i * step);
      rows[i] = i;
    }
    return {rows_.data(), step, 1};
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

// GrowingTree: a tree of a forest while it is grown, whatever the search: its rows, the codes of a node, what is
// written down. All rows of the tree stand in one array that every split divides stably.

class GrowingTree {
 protected:
  struct Pending {
    std::uint32_t begin, n, depth;
    std::uint64_t key;
    PairSum sum;  // of its rows, where the parent has told; else no rows
  };
  static constexpr std::uint32_t kTogether = 16;  // columns

  GrowingTree(const ForestCodes& codes, const Target& target, const ForestRules& rules, Workers& workers);

  // Takes the rows drawn, and room for what is written about them.
  void take_rows(const Draws& draws);
  void forget_block();
  void choose_view(const Pending& node);
  // Puts the codes of a column into codes_of_node_, if they are still at hand without looking at the rows.
  void fetch_codes(std::int32_t column, const std::uint32_t* rows, std::uint32_t n);
  // Draws columns for the lanes; n_drawn of them have been drawn before.
  void fill_lanes(std::uint32_t n_drawn, const std::uint32_t* rows, std::uint32_t n);
  // Draws columns and fetches their codes and ranges at once.
  void gather_together(std::uint32_t count, const std::uint32_t* rows, std::uint32_t n);

  // side_of_row_[i]: 1 where row i of the node takes branch 0, 2 where it takes branch 1.
  void mark_sides(const Pending& node, const Candidate& winner);
  std::uint32_t divide(const Pending& node);

  void write_inner(const Pending& node, const Candidate& winner, double gain, bool first_is_heavier);
  void write_test(TestKind kind, bool missing_second, std::int32_t column, double gain);
  // What can be told from n_rows alone is not kept.
  void finish();

  const ForestCodes& codes_;
  const Target& target_;
  const ForestRules& rules_;
  Workers& workers_;
  ColumnDraw draw_;
  std::uint32_t block_rows_ = 0, block_end_ = 0, n_unchecked_ = 0;
  TreeRoom room_;
  double total_ = 0;
  CodeView view_;
  std::vector<Pending> stack_;
  SmallTree grown_;
  PresentLevels levels_;
  RandomLanes lanes_;
  LateThresholds late_;
  std::vector<std::uint32_t> rows_, spare_;
  std::vector<std::uint32_t> together_;
  std::vector<CodeRange> ranges_;
  std::int32_t kept_ = -1;  // the column whose codes are in codes_of_best_
  std::vector<std::uint16_t> codes_of_best_, codes_of_node_, codes_together_;
  SubtreeBlock block_;
  std::vector<std::uint16_t> side_of_row_;  // 1: branch 0, 2: branch 1
  std::vector<std::uint8_t> side_;

 private:
  bool counts_at_all(std::uint32_t row) const;
  double threshold(const Pending& node, const Candidate& winner, const ForestColumn& column) const;
  void write_levels(const Pending& node, const ForestColumn& column);
};

}  // namespace tw
