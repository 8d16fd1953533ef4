// SplitSearch: the best split of one node. Ties go to the first column, then to the first cut, then missing goes left;
// in which order splits are offered is all one.
//
// The score of a split is G²/(H + l2) of its two sides, added, in units of the fixed point; the gain is half of what it
// has more than the undivided node.
#pragma once

#include <cstdint>  // for int32_t, uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/boost/binned_table.hpp"
#include "grow/boost/boosted_node.hpp"
#include "grow/boost/group_scan.hpp"
#include "grow/boost/rules.hpp"

namespace tw {

// What the search may look at.
template <class Word>
struct SearchedNode {
  const BoostedNode* node = nullptr;
  const Word* histogram = nullptr;  // of the narrow columns
  const std::uint32_t* rows = nullptr;
  const Word* words = nullptr;  // by rows of the table
};

template <class Word>
class SplitSearch {
 public:
  SplitSearch(const BinnedTable& table, const FixedRules& rules) : table_(table), rules_(rules) {}

  void start(const SearchedNode<Word>& at);
  // What the scan of groups has for the node, before the rest is looked at.
  double bar(const ColumnGroup& group, bool missing_second) const;
  void take(const PassingCut& cut);
  // The best split of all; columns: those that may be asked, ascending. scanned: the groups have been scanned.
  BoostSplit finish(std::span<const std::int32_t> columns, bool scanned);

 private:
  struct Level {
    std::uint32_t code = 0;
    GradientSum sum;
    double ratio = 0;
  };

  void look_at_all(std::span<const std::int32_t> columns, bool scanned);
  bool has_support(const BinnedColumn& column) const;
  void look_at(std::int32_t column);
  void take_levels(const BinnedColumn& column, const Word* bins);
  void count_codes(const BinnedColumn& column);
  void order_levels();
  void add_up(const Word* bins, std::uint32_t n);
  void scan(std::int32_t column, bool missing_second);
  void scan_bounded(std::int32_t column, bool missing_second);
  bool is_above(const GradientSum& left, double bar) const;
  bool is_large_enough(const GradientSum& left) const;
  bool surely_enough(const GradientSum& left) const;
  bool winner_has_rows();
  bool enough_rows(std::int32_t column, std::uint32_t cut, bool missing_second);
  void count_rows(const BinnedColumn& column);
  void offer(std::int32_t column, std::uint32_t cut, const GradientSum& left, double score, bool missing_second);
  bool is_better(const BoostSplit& split) const;
  double score_of(const GradientSum& side) const;
  double bounded_score(const GradientSum& side, double value) const;
  std::uint32_t code_at(std::uint32_t place) const { return levels_.empty() ? place + 1 : levels_[place].code; }

  const BinnedTable& table_;
  const FixedRules& rules_;
  SearchedNode<Word> at_;
  BoostSplit best_;
  bool counts_rows_ = false;  // this search counts the rows of every split, not only of the best one
  std::vector<std::uint8_t> goes_left_;

  // of the column at hand
  std::vector<GradientSum> sums_;  // from the first bin or level up to each, in the order in which they are cut
  std::vector<Level> levels_;      // empty: the cuts are those between the bins from 1 on
  std::vector<Word> by_code_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::int64_t> rows_by_code_, running_rows_;
  GradientSum missing_;
  double charge_ = 0;
  bool counted_ = false;
};

}  // namespace tw
