// The search of a node's sorted lists for two classes or a numeric target, where the criterion is quadratic and weights
// are whole numbers. Criterion and Sums are those of PairSearch.
//
// Every column is scanned in floats (list_scan.hpp). How far those can be from the truth is known, and so are the
// columns that may have won: they are looked at again, and the cuts that may have won are scored as everywhere.
#pragma once

#include <algorithm>  // for max
#include <bit>        // for bit_width
#include <cmath>      // for abs, ldexp, sqrt
#include <cstdint>    // for int64_t, uint32_t
#include <cstdlib>    // for abs
#include <vector>     // for vector

#include "grow/exact/lists.hpp"
#include "grow/forest/lists/key_lanes.hpp"
#include "grow/forest/lists/list_scan.hpp"
#include "grow/forest/pair_search.hpp"

namespace tw {

template <class Criterion, class Sums>
class PairLists : public PairSearch<Criterion, Sums> {
  using Base = PairSearch<Criterion, Sums>;
  using Base::node_, Base::plain_, Base::rules_, Base::sums_, Base::view_;

 public:
  using Base::Base;
  static constexpr bool kLists = Criterion::kQuadratic == Quadratic::exact;
  static constexpr std::uint32_t kMostWithoutLists = kMostKeyRows;

  // Whether nodes of this tree can be searched by lists, and whether this one can.
  bool wants_lists() const {
    return rules_.class_weights.empty() && !rules_.balance_classes && this->units_.weight_unit == 1 &&
           !(rules_.recipe.stop.min_weight_leaf > 0);
  }
  bool takes_lists() const { return view_.total.a < kMostListWeight; }

  // Before the first list of a node.
  void start_lists(const std::uint32_t* rows, std::uint32_t n) {
    start_scan();
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < n; ++i) most = std::max(most, rows[i]);
    if (packed_.size() <= most) packed_.resize(most + 1);
    const Rounding lost = centre(n, kListValueBits);
    for (std::uint32_t i = 0; i < n; ++i) packed_[rows[i]] = packed_row(lost.rounded(distance_[i]), sums_.at(i).a);
    set_slack(2 + lost.sum / 256);
  }

  // A column of which no row is missing at the node.
  void scan(std::int32_t column, const std::uint32_t* list) {
    const std::uint32_t n = node_.rows, first = view_.min_leaf - 1, last = n - view_.min_leaf;
    if (rank_of(list[0]) == rank_of(list[n - 1]) || first >= last) return;
    const float largest = largest_score(list, packed_.data(), first, last, static_cast<float>(view_.total.a));
    scanned_.push_back({std::sqrt(static_cast<double>(largest)), column, list, 0, false});
  }
  // A column of which some rows are missing: `first` has them in front, `behind` at the end.
  void scan_with_missing(std::int32_t column, const std::uint32_t* first, const std::uint32_t* behind) {
    scan(column, first), scan(column, behind);
    for (Scanned& one : scanned_) one.has_missing |= one.column == column;
  }

  // Nodes of few rows: their columns are put in order together. Whether this is one, and before the first lanes of it.
  bool takes_lanes() const { return node_.rows <= kMostKeyRows && view_.total.a < kMostKeyWeight; }
  void start_lanes() {
    start_scan();
    const Rounding lost = centre(node_.rows, kKeyValueBits);
    for (std::uint32_t i = 0; i < node_.rows; ++i)
      words_[i] = static_cast<std::int32_t>(lost.rounded(distance_[i]) * kMostKeyWeight + sums_.at(i).a);
    set_slack(1 + lost.sum);
  }
  // Offers the best cuts of some columns. From lane n_known on rows of the column are missing: see may_have_won().
  void look(KeyLanes& lanes, const std::uint32_t* columns, std::uint32_t n_known, std::uint32_t n_lanes, Best& best) {
    const std::uint32_t n = node_.rows, first = view_.min_leaf - 1, last = n - view_.min_leaf;
    may_have_won_.clear();
    lanes.n_rows = n, lanes.n_groups = (n_lanes + kKeyLanes - 1) / kKeyLanes;
    sort_keys(lanes);
    score_keys(lanes, words_, first, last, static_cast<float>(view_.total.a));
    float largest = 0;
    for (std::uint32_t k = 0; k < n_lanes; ++k) largest = std::max(largest, lanes.largest[k]);
    const double root = least_root(std::sqrt(static_cast<double>(largest))), least = root * root;
    for (std::uint32_t k = 0; k < n_lanes; ++k) {
      if (lanes.largest[k] < least || lanes.code(0, k) == lanes.code(n - 1, k)) continue;
      if (k >= n_known) {
        add_winner(columns[k]);
        continue;
      }
      look_closely({0, static_cast<std::int32_t>(columns[k]), nullptr, k, false}, lanes, least, best);
    }
  }
  using Base::look;
  // Of the columns last looked at: those with missing rows that have to be looked at one by one.
  const std::vector<std::uint32_t>& may_have_won() const { return may_have_won_; }

  // Offers the best cuts of the columns scanned since this was called last.
  void offer_scanned(Best& best) {
    double largest = 0;
    for (const Scanned& one : scanned_) largest = std::max(largest, one.root);
    const double root = least_root(largest);
    may_have_won_.clear();
    for (const Scanned& one : scanned_) {
      if (one.root < root) continue;
      if (one.has_missing)
        add_winner(static_cast<std::uint32_t>(one.column));
      else
        look_closely(one, root * root, best);
    }
    scanned_.clear();
  }

  // Whether the best cut was found in a list or in lanes, and then: the node's rows in the order of its column, or
  // their places in the node; and how much it lowers the impurity.
  bool is_in_order(const Best& best) const {
    return best.get().column == ordered_column_ && !best.get().known_or_missing;
  }
  const std::uint32_t* list_of_best() const { return list_of_best_; }  // null: in lanes
  const KeyOrder& order_of_best() const { return order_of_best_; }
  double gain_of_best() { return Base::gain(left_of_best_); }

 private:
  static constexpr double kFloatSlack = 2e-6;  // of a root of a score in floats, and more

  struct Scanned {
    double root;  // of the largest score
    std::int32_t column;
    const std::uint32_t* list;  // or null
    std::uint32_t lane;
    bool has_missing;
  };

  // What is lost of the distances when their sums have to fit so many bits.
  struct Rounding {
    int shift;
    double sum;  // no sum of distances is further from the truth
    std::int64_t rounded(std::int64_t distance) const {
      return (distance + (shift > 0 ? std::int64_t{1} << (shift - 1) : 0)) >> shift;
    }
  };

  void start_scan() {
    scanned_.clear();
    ordered_column_ = -1;
  }
  void add_winner(std::uint32_t column) {  // both of its orders come one after the other
    if (may_have_won_.empty() || may_have_won_.back() != column) may_have_won_.push_back(column);
  }

  // Fills distance_: how far the rows of the node are from its mean.
  Rounding centre(std::uint32_t n, int bits) {
    const PairSum& total = view_.total;
    // Classes are whole numbers: they get digits behind the point, for the mean.
    const int up = this->target_.is_regression() ? 0 : kListWeightBits;
    const std::int64_t middle = total.b * (std::int64_t{1} << up) / total.a;
    if (distance_.size() < n) distance_.resize(n);
    std::uint64_t reach = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const PairSum one = sums_.at(i);
      distance_[i] = one.b * (std::int64_t{1} << up) - middle * one.a;
      reach += static_cast<std::uint64_t>(std::abs(distance_[i]));
    }
    const int shift = std::max(0, static_cast<int>(std::bit_width(reach + n)) - bits);
    const double weight = static_cast<double>(total.a);
    // The mean is rounded, and so are the doubles of a score.
    const double in_doubles = (std::abs(static_cast<double>(middle)) * weight + static_cast<double>(reach)) * 0x1p-49;
    return {shift, 0.5 * n + std::ldexp(weight + in_doubles, -shift)};
  }

  void set_slack(double of_sums) {
    slack_ = of_sums / std::sqrt(std::max(1.0, static_cast<double>(view_.total.a) - 1)) * (1 + 1e-6);
  }

  // A column with a smaller root than this has not won.
  double least_root(double largest) const { return std::max(0.0, (largest - 2 * slack_) * (1 - kFloatSlack)); }

  void look_closely(const Scanned& one, double least, Best& best) {
    const std::uint32_t first = view_.min_leaf - 1, last = node_.rows - view_.min_leaf;
    const auto whole = static_cast<float>(view_.total.a);
    const auto low = static_cast<float>(least);
    std::int64_t sum = 0;
    PairSum left;
    for (std::uint32_t i = 0; i < last; ++i) {
      const std::uint32_t row = row_of(one.list[i]);
      sum += packed_[row];
      left += sums_.of_row(row);
      const float distance = distance_of(sum), weight = weight_of(sum);
      if (i < first || distance * distance < low * (weight * (whole - weight)) ||
          rank_of(one.list[i]) == rank_of(one.list[i + 1]))
        continue;
      const double score = plain_->score(left);
      if (score < best.reach() || !best.offer(score, one.column, i + 1, plain_->missing_left)) continue;
      best.get().kind = CutKind::threshold;
      best.get().bucket = rank_of(one.list[i]);
      list_of_best_ = one.list, ordered_column_ = one.column, left_of_best_ = left;
    }
  }

  void look_closely(const Scanned& one, const KeyLanes& lanes, double least, Best& best) {
    const std::uint32_t first = view_.min_leaf - 1, last = node_.rows - view_.min_leaf, k = one.lane;
    const auto whole = static_cast<float>(view_.total.a), low = static_cast<float>(least);
    std::int32_t sum = 0;
    PairSum left;
    for (std::uint32_t i = 0; i < last; ++i) {
      sum += words_[lanes.row(i, k)];
      left += sums_.at(lanes.row(i, k));
      const auto distance = static_cast<float>(sum >> kKeyWeightBits);
      const auto weight = static_cast<float>(sum & (kMostKeyWeight - 1));
      if (i < first || distance * distance < low * (weight * (whole - weight)) ||
          lanes.code(i, k) == lanes.code(i + 1, k))
        continue;
      const double score = plain_->score(left);
      if (score < best.reach() || !best.offer(score, one.column, i + 1, plain_->missing_left)) continue;
      best.get().kind = CutKind::threshold;
      list_of_best_ = nullptr, ordered_column_ = one.column, left_of_best_ = left;
      for (std::uint32_t place = 0; place < node_.rows; ++place) order_of_best_.keys[place] = lanes.keys[place][k];
    }
  }

  double slack_ = 0;                             // of the root of a score
  std::vector<std::int64_t> packed_, distance_;  // by row of the block; by place in the node
  alignas(64) std::int32_t words_[kMostKeyRows] = {};
  std::vector<Scanned> scanned_;
  std::vector<std::uint32_t> may_have_won_;
  std::int32_t ordered_column_ = -1;
  const std::uint32_t* list_of_best_ = nullptr;
  KeyOrder order_of_best_;
  PairSum left_of_best_;
};

}  // namespace tw
