// The search of a node's sorted lists for three classes or more by gini, where weights are whole numbers.
//
// With c the counts left of a cut and n those of the node, Σ c² and Σ c n say all of its score, and both are kept by
// additions in whole numbers. The largest score of every column is found first; the columns that may have won are
// walked through again, and the cuts that may have won are scored as everywhere.
#pragma once

#include <algorithm>    // for fill, max
#include <cstdint>      // for int64_t, uint32_t
#include <type_traits>  // for is_same
#include <utility>      // for swap
#include <vector>       // for vector

#include "grow/exact/lists.hpp"
#include "grow/forest/class_search.hpp"
#include "grow/forest/lists/key_lanes.hpp"
#include "grow/forest/lists/list_scan.hpp"

namespace tw {

template <class Criterion>
class ClassLists : public ClassSearch<Criterion> {
  using Base = ClassSearch<Criterion>;
  using Base::classes_, Base::left_, Base::min_leaf_, Base::n_, Base::rules_, Base::sides_, Base::total_;

 public:
  using Base::Base;
  static constexpr bool kLists = std::is_same_v<Criterion, NarrowClassGini>;
  static constexpr std::uint32_t kMostWithoutLists = kMostKeyRows;

  // Whether nodes of this tree can be searched by lists, and whether this one can.
  bool wants_lists() const { return this->weight_unit_ == 1 && !(this->min_weight_ > 0); }
  bool takes_lists() const { return total_ < kMostListWeight; }
  bool takes_lanes() const { return n_ <= kMostKeyRows && takes_lists(); }

  // Before the first list of a node.
  void start_lists(const std::uint32_t* rows, std::uint32_t n) {
    start_scan();
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < n; ++i) most = std::max(most, rows[i]);
    if (of_row_.size() <= most) of_row_.resize(most + 1);
    for (std::uint32_t i = 0; i < n; ++i) of_row_[rows[i]] = of_place(i);
  }

  // A column of which no row is missing at the node.
  void scan(std::int32_t column, const std::uint32_t* list) {
    if (rank_of(list[0]) == rank_of(list[n_ - 1]) || min_leaf_ - 1 >= n_ - min_leaf_) return;
    const Row* rows = of_row_.data();
    const double largest = largest_of([=](std::uint32_t i) { return rows[row_of(list[i])]; },
                                      [=](std::uint32_t i) { return rank_of(list[i]); });
    scanned_.push_back({largest, column, list, 0, false});
  }
  // As in PairLists.
  void scan_with_missing(std::int32_t column, const std::uint32_t* first, const std::uint32_t* behind) {
    scan(column, first), scan(column, behind);
    for (Scanned& one : scanned_) one.has_missing |= one.column == column;
  }
  // Offers the best cuts of the columns scanned since this was called last.
  void offer_scanned(Best& best) {
    const double least = least_score();
    const Row* rows = of_row_.data();
    may_have_won_.clear();
    for (const Scanned& one : scanned_) {
      if (one.score < least || add_winner(one)) continue;
      const std::uint32_t* list = one.list;
      if (offer_near(
              one.column, least, [=](std::uint32_t i) { return rows[row_of(list[i])]; },
              [=](std::uint32_t i) { return rank_of(list[i]); }, best))
        list_of_best_ = list;
    }
    scanned_.clear();
  }

  // Nodes of few rows: their columns are put in order together.
  void start_lanes() {
    start_scan();
    for (std::uint32_t i = 0; i < n_; ++i) few_[i] = of_place(i);
  }
  // As in PairLists.
  void look(KeyLanes& lanes, const std::uint32_t* columns, std::uint32_t n_known, std::uint32_t n_lanes, Best& best) {
    lanes.n_rows = n_, lanes.n_groups = (n_lanes + kKeyLanes - 1) / kKeyLanes;
    sort_keys(lanes);
    auto row_at = [&](std::uint32_t k) { return [&, k](std::uint32_t i) { return few_[lanes.row(i, k)]; }; };
    auto code_at = [&](std::uint32_t k) { return [&, k](std::uint32_t i) { return lanes.code(i, k); }; };
    for (std::uint32_t k = 0; k < n_lanes; ++k)
      if (lanes.code(0, k) != lanes.code(n_ - 1, k))
        scanned_.push_back(
            {largest_of(row_at(k), code_at(k)), static_cast<std::int32_t>(columns[k]), nullptr, k, k >= n_known});
    const double least = least_score();
    may_have_won_.clear();
    for (const Scanned& one : scanned_) {
      if (one.score < least || add_winner(one)) continue;
      if (!offer_near(one.column, least, row_at(one.lane), code_at(one.lane), best)) continue;
      list_of_best_ = nullptr;
      for (std::uint32_t i = 0; i < n_; ++i) order_of_best_.keys[i] = lanes.keys[i][one.lane];
    }
    scanned_.clear();
  }
  using Base::look;

  // As in PairLists.
  const std::vector<std::uint32_t>& may_have_won() const { return may_have_won_; }
  bool is_in_order(const Best& best) const {
    return best.get().column == ordered_column_ && !best.get().known_or_missing;
  }
  const std::uint32_t* list_of_best() const { return list_of_best_; }
  const KeyOrder& order_of_best() const { return order_of_best_; }
  double gain_of_best() {
    std::swap(left_, left_of_best_);
    Base::start_right();
    return Base::gain_of_sides();
  }

 private:
  static constexpr double kSlack = 1e-11;  // of a score in doubles, and more

  struct Row {
    std::uint32_t local, weight;  // its class among those at the node
  };
  struct Scanned {
    double score;
    std::int32_t column;
    const std::uint32_t* list;  // or null
    std::uint32_t lane;
    bool has_missing;
  };

  Row of_place(std::uint32_t i) const { return {classes_.local(i), static_cast<std::uint32_t>(classes_.weight(i))}; }

  void start_scan() {
    scanned_.clear();
    ordered_column_ = -1;
    whole_squares_ = Criterion::squares(classes_.totals());
    counts_.resize(classes_.totals().size());
  }

  // Whether it is a column with missing rows: those are looked at one by one.
  bool add_winner(const Scanned& one) {
    const auto column = static_cast<std::uint32_t>(one.column);  // both of its orders come one after the other
    if (one.has_missing && (may_have_won_.empty() || may_have_won_.back() != column)) may_have_won_.push_back(column);
    return one.has_missing;
  }

  // What a cut scores, but for what all cuts of the node share: Σ c² / a + Σ (n − c)² / (whole − a).
  struct LeftSums {
    std::int64_t squares = 0, products = 0, weight = 0;
  };
  double score(const LeftSums& left) const {
    const auto a = static_cast<double>(left.weight), rest = static_cast<double>(total_ - left.weight);
    return static_cast<double>(left.squares) / a +
           static_cast<double>(whole_squares_ - 2 * left.products + left.squares) / rest;
  }

  // Calls f(i, left sums) for every cut in ascending order.
  template <class RowAt, class CodeAt, class F>
  void for_each_cut(RowAt row_at, CodeAt code_at, F f) {
    std::fill(counts_.begin(), counts_.end(), 0);
    const std::uint32_t first = min_leaf_ - 1, last = n_ - min_leaf_;
    const std::int64_t* totals = classes_.totals().data();
    std::int64_t* counts = counts_.data();
    LeftSums left;
    for (std::uint32_t i = 0; i < last; ++i) {
      const Row row = row_at(i);
      const std::int64_t w = row.weight, before = counts[row.local];
      counts[row.local] = before + w;
      left.squares += w * (2 * before + w), left.products += w * totals[row.local], left.weight += w;
      if (i >= first && code_at(i) != code_at(i + 1)) f(i, left);
    }
  }

  template <class RowAt, class CodeAt>
  double largest_of(RowAt row_at, CodeAt code_at) {
    double largest = 0;
    for_each_cut(row_at, code_at,
                 [&](std::uint32_t, const LeftSums& left) { largest = std::max(largest, score(left)); });
    return largest;
  }

  double least_score() const {
    double largest = 0;
    for (const Scanned& one : scanned_) largest = std::max(largest, one.score);
    return largest * (1 - kSlack);
  }

  // Offers the cuts whose score is no less; whether one has won.
  template <class RowAt, class CodeAt>
  bool offer_near(std::int32_t column, double least, RowAt row_at, CodeAt code_at, Best& best) {
    bool won = false;
    for_each_cut(row_at, code_at, [&](std::uint32_t i, const LeftSums& left) {
      if (score(left) < least) return;
      left_ = counts_;
      Base::start_right();
      if (!Base::offer(column, i + 1, true, CutKind::threshold, best)) return;
      best.get().bucket = code_at(i);
      ordered_column_ = column, left_of_best_ = left_;
      won = true;
    });
    return won;
  }

  std::vector<Row> of_row_;  // by row of the block
  Row few_[kMostKeyRows];
  std::int64_t whole_squares_ = 0;
  std::vector<std::int64_t> counts_, left_of_best_;
  std::vector<Scanned> scanned_;
  std::vector<std::uint32_t> may_have_won_;
  std::int32_t ordered_column_ = -1;
  const std::uint32_t* list_of_best_ = nullptr;
  KeyOrder order_of_best_;
};

}  // namespace tw
