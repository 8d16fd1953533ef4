// TreeRoom: the trees of a forest are about equally large, so the next one gets the room that the last one took.
#pragma once

#include <algorithm>  // for min
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"
#include "grow/candidate.hpp"
#include "grow/exact/pair_sum.hpp"
#include "grow/forest/drawn_rows.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/forest_rules.hpp"
#include "grow/forest/level_orders.hpp"
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

// GrowingTree: a tree of a forest while it is grown, whatever the search: its rows and what is written down. All rows
// of the tree stand in one array that every split divides stably.

class GrowingTree {
 protected:
  struct Pending {
    std::uint32_t begin, n, depth;
    std::uint64_t key;
    PairSum sum;  // of its rows, where the parent has told; else no rows
  };
  // Whether to stop is asked after that many nodes, or columns of a node with so many rows: the clock takes its time.
  static constexpr std::uint32_t kFewNodes = 64, kManyRows = 1024;

  GrowingTree(const std::vector<ForestColumn>& columns, const Target& target, const ForestRules& rules,
              Workers& workers);

  // Takes the rows drawn, and room for what is written about them.
  void take_rows(const Draws& draws);
  void pause(const Pending& node) {
    if (node.n >= kManyRows || ++n_unchecked_ % kFewNodes == 0) workers_.checkpoint();
  }
  bool gains_enough(double gain, double weight) const {
    return !(gain * weight / total_ < rules_.recipe.stop.min_impurity_decrease * (1 - 1e-12));
  }
  // What the order of columns that are level is drawn by at the node whose columns are drawn; 0 where a tree draws
  // nothing: then it is the single tree, and so are its ties. Branches have the keys 0 and 1.
  std::uint64_t tie_key() const { return draws_ ? child_key(draw_.key(), 2) : 0; }
  static bool wins_tie(std::uint32_t column, std::uint32_t other, std::uint64_t tie_key) {
    return comes_before(static_cast<std::int32_t>(column), static_cast<std::int32_t>(other), tie_key);
  }

  // The column that divides a node of two rows, whose cells are given, or the number of columns where none does: every
  // column in which they differ does, and all that matters is which of them is left. better: −1 where the first had
  // better be left, 1 the second, 0 either. draw_ has been started. Many nodes of a fully grown tree are such.
  template <class Cell>
  std::uint32_t column_of_two(const Cell* first, const Cell* second, int better) {
    const std::uint32_t n_columns = draw_.size(), count = std::min(rules_.max_features, n_columns);
    const std::uint64_t ties = tie_key();
    std::uint32_t found = n_columns;
    bool found_better = false;
    for (std::uint32_t k = 0; k < n_columns && !(k >= count && found < n_columns); ++k) {
      const std::uint32_t column = count < n_columns ? draw_.next() : k;
      const bool both_missing = first[column] != first[column] && second[column] != second[column];
      if (first[column] == second[column] || both_missing) continue;
      const bool is_better = better == 0 || (first[column] < second[column]) == (better < 0);
      if (found < n_columns && (is_better == found_better ? !wins_tie(column, found, ties) : !is_better)) continue;
      found = column, found_better = is_better;
      if (count == n_columns && is_better && ties == 0) break;  // the others are larger
    }
    return found;
  }
  // Divides the rows of a node by side_of_row_; gives how many take branch 0.
  std::uint32_t divide(const Pending& node);

  void write_test(TestKind kind, bool missing_second, std::int32_t column, double gain);
  // A test by levels: the codes at the node, and the side of each code.
  void write_levels(const ForestColumn& column, const std::uint16_t* codes, std::uint32_t n,
                    const std::vector<std::uint8_t>& side);
  // What can be told from n_rows alone is not kept.
  void finish();

  // What the numbers of a block may take, as rows with so many bytes each.
  std::uint32_t rows_in_block(std::size_t bytes_of_row) const;

  const Target& target_;
  const ForestRules& rules_;
  Workers& workers_;
  ColumnDraw draw_;
  bool draws_;  // anything at all: rows, columns or cuts
  std::uint32_t n_unchecked_ = 0;
  TreeRoom room_;
  double total_ = 0;
  std::vector<Pending> stack_;
  SmallTree grown_;
  std::vector<std::uint32_t> rows_, spare_;
  std::vector<std::uint16_t> side_of_row_;  // 1: branch 0, 2: branch 1

 private:
  bool counts_at_all(std::uint32_t row) const;
  PresentLevels levels_;
};

}  // namespace tw
