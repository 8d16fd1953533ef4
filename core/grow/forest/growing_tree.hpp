// GrowingTree: a tree of a forest while it is grown, whatever the search: its rows, the codes of a node, what is
// written down. All rows of the tree stand in one array that every split divides stably.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"
#include "grow/candidate.hpp"
#include "grow/exact/pair_sum.hpp"
#include "grow/forest/all_pairs.hpp"
#include "grow/forest/code_range.hpp"
#include "grow/forest/column_draw.hpp"
#include "grow/forest/drawn_rows.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/forest_rules.hpp"
#include "grow/forest/late_thresholds.hpp"
#include "grow/forest/present_levels.hpp"
#include "grow/forest/random_lanes.hpp"
#include "grow/forest/subtree_block.hpp"
#include "grow/forest/tree_room.hpp"
#include "grow/forest/tree_rows.hpp"
#include "grow/forest/tree_weights.hpp"
#include "tree/tree.hpp"

namespace tw {

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
