// The impurity that is stored and shown, from the sums of a node. (The search works with phi; see criterion/pair.hpp.)
#pragma once

#include <algorithm>  // for clamp, max, min, stable_partition
#include <bit>        // for bit_width
#include <cmath>      // for log, log2
#include <limits>     // for numeric_limits
#include <optional>   // for optional
#include <vector>     // for vector

#include "grow/exact/finder/cut_in_lanes.hpp"
#include "grow/exact/finder/levels_by_rate.hpp"
#include "grow/exact/finder/threshold_in_list.hpp"
#include "grow/exact/lists.hpp"
#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

// Two classes: shares p and 1 − p. Twoing and Hellinger are measures of a split, not of a node: gini stands in.
inline double class_impurity(CriterionName criterion, double p) {
  const double q = 1 - p;
  if (p <= 0 || q <= 0) return 0;
  if (criterion == CriterionName::entropy) return -(p * std::log2(p) + q * std::log2(q));
  if (criterion == CriterionName::error) return std::min(p, q);
  return 2 * p * q;
}

// SpreadSum: adds up what the impurity of a numeric node is made of, around the node's own mean and in integers scaled
// to the node's own range: no digit is lost beside outliers elsewhere, and the order of rows does not matter.
class SpreadSum {
 public:
  // s: rows, a, b, low and high are known.
  SpreadSum(const GrowingNode& s, const Target& target, CriterionName criterion)
      : poisson_(criterion == CriterionName::poisson) {
    if (s.low == s.high || s.a == 0) return;  // nothing to add up: the impurity is 0
    spreads_ = true;
    weight_ = double(s.a) * target.weight_unit;
    mean_ = double(s.b) * target.value_unit / weight_;
    if (poisson_) {
      // The largest product is scaled to 61 bits. Its factors are scaled each for itself: it may be beyond all numbers.
      const double low = double(s.low) * target.level_unit, high = double(s.high) * target.level_unit;
      int of_weight = 0, of_deviance = 0, of_both = 0;
      const double weight = std::frexp(weight_, &of_weight);
      const double largest = std::frexp(std::max({deviance(low), deviance(high), 1e-300}), &of_deviance);
      std::frexp(weight * largest, &of_both);
      weight_shift_ = -of_weight;
      shift_ = 61 - (of_weight + of_deviance + of_both);
      return;
    }
    // Rows that weigh next to nothing may have lost their part of the sum: the mean stays within the range all the
    // same.
    middle_ = std::clamp(static_cast<std::int64_t>(std::llround(mean_ / target.level_unit)), s.low, s.high);
    mean_ = std::clamp(mean_, double(s.low) * target.level_unit, double(s.high) * target.level_unit);
    const int range_bits = std::bit_width(static_cast<std::uint64_t>(s.high - s.low)) + 1;
    const int weight_bits = std::bit_width(static_cast<std::uint64_t>(s.a));
    shift_ = std::max(0, (2 * range_bits + weight_bits - 126 + 1) / 2);
  }

  void add(std::int64_t level, std::int64_t weight, const Target& target) {
    if (!spreads_) return;
    if (poisson_) {
      const double scaled = std::ldexp(deviance(double(level) * target.level_unit), shift_ - weight_shift_);
      sum_ += static_cast<__int128>(std::ldexp(double(weight) * target.weight_unit, weight_shift_) * scaled);
      return;
    }
    const std::int64_t d = (level - middle_) >> shift_;
    sum_ += static_cast<__int128>(weight) * d * d;
  }
  // The same for `rows` rows of equal level and weight.
  void add_rows(std::int64_t level, std::int64_t weight, std::int64_t rows, const Target& target) {
    SpreadSum one = *this;
    one.sum_ = 0;
    one.add(level, weight, target);
    sum_ += one.sum_ * rows;
  }
  // The same for a whole node by its sums: the weighted squares of its levels, and the levels themselves. Only where
  // nothing is shifted away, as is the case where every weight is kept exactly.
  void add_sums(__int128 squares, std::int64_t levels, std::int64_t weight) {
    if (!spreads_) return;
    const __int128 middle = middle_;
    sum_ += squares - 2 * middle * levels + middle * middle * weight;
  }
  void merge(const SpreadSum& other) { sum_ += other.sum_; }

  // Variance, or half the mean Poisson deviance.
  double impurity(const GrowingNode& s, const Target& target) const {
    return std::min(unbounded_impurity(s, target), std::numeric_limits<double>::max() / 4);  // squares beyond 1e308
  }

  // The same, times the node's weight, in the units of the score (sums of fixed-point values: no overflow).
  double in_score_units(const Target& target) const {
    if (poisson_) return std::ldexp(static_cast<double>(sum_), -shift_) / target.value_unit;
    const double slope = std::ldexp(target.level_unit / target.value_unit * target.weight_unit, shift_);
    return static_cast<double>(sum_) * slope * slope;
  }

 private:
  double unbounded_impurity(const GrowingNode& s, const Target& target) const {
    if (s.low == s.high || s.a == 0) return 0;
    if (poisson_) return std::ldexp(static_cast<double>(sum_), -shift_) / weight_;
    const double unit = std::ldexp(target.level_unit, shift_);
    const double off = (mean_ - double(middle_) * target.level_unit) / unit;
    return std::max(0.0, static_cast<double>(sum_) / double(s.a) - off * off) * unit * unit;
  }

  double deviance(double y) const {  // y ln(y / mean) − y + mean
    if (mean_ <= 0) return 0;
    if (y <= 0) return mean_;
    const double x = (y - mean_) / mean_;
    if (x < 1e300) return mean_ * ((1 + x) * std::log1p(x) - x);
    return std::min(y * (std::log(y) - std::log(mean_) - 1), std::numeric_limits<double>::max());  // a mean of nothing
  }

  bool poisson_, spreads_ = false;
  double weight_ = 1, mean_ = 0;
  std::int64_t middle_ = 0;
  int shift_ = 0, weight_shift_ = 0;  // of the sum; of Poisson that part of it which scales the weights
  __int128 sum_ = 0;
};

// The search inside a block for two classes or a numeric target (squared error, Poisson): see block_grower.hpp for how
// it is used. Criterion is one of criterion/pair.hpp, Payload one of summary/pair_sum.hpp.

// b/a of a single row of the given level (y in fixed point), in the units of PairSum.
inline double slope_per_level(const Target& target) {
  return target.is_regression() ? target.level_unit * target.weight_unit / target.value_unit : 1;
}

inline PairView view_of(const GrowingNode& s, const Target& target, const Recipe& recipe) {
  PairView view;
  view.total = {s.a, s.b, s.rows};
  const double slope = slope_per_level(target);
  view.node = {double(s.a), double(s.b), double(s.low) * slope, double(s.high) * slope, s.spread};
  view.min_weight = static_cast<std::int64_t>(std::ceil(recipe.stop.min_weight_leaf / target.weight_unit));
  view.unit = 1 / target.weight_unit;
  view.two_way_only = recipe.criterion == CriterionName::twoing;
  view.min_leaf = static_cast<std::uint32_t>(std::max<std::int64_t>(1, recipe.stop.min_samples_leaf));
  view.missing = recipe.missing;
  return view;
}

inline void finish_pair_summary(GrowingNode& s, const Target& target, CriterionName criterion) {
  if (!target.is_regression()) {
    s.low = 0, s.high = 1;
    s.pure = s.b == 0 || s.b == s.a;
    s.impurity = class_impurity(criterion, double(s.b) / double(s.a));
    return;
  }
  s.pure = s.low == s.high;
  if (criterion == CriterionName::poisson && s.b == 0) s.pure = true;
  const double mean = double(s.b) * target.value_unit / (double(s.a) * target.weight_unit);
  s.value = std::clamp(mean, double(s.low) * target.level_unit, double(s.high) * target.level_unit) + target.offset;
}

// What a node answers whose numbers are all the same as far as sums can tell: the lowest, whatever the order of rows,
// and never -0.
template <class RowAt>
double lowest_number(const Target& target, std::size_t n, RowAt row_at) {
  double lowest = target.numbers[row_at(0)];
  for (std::size_t i = 1; i < n; ++i) lowest = std::min(lowest, target.numbers[row_at(i)]);
  return lowest + 0.0;
}

template <class Criterion, class Payload>
class PairBlock {
 public:
  // Two classes: a and b say everything.
  static constexpr bool kDescribesByDifference = std::is_same_v<Payload, ClassByRow>;

  PairBlock(const Target& target, const Recipe& recipe) : target_(target), recipe_(recipe) {}

  // Chooses the numbers of the rows inside the block and keeps what the scans need of them.
  void number_rows(std::vector<std::uint32_t>& rows) {
    if constexpr (std::is_same_v<Payload, ClassByRow>) {
      const auto is_0 = [&](std::uint32_t row) { return target_.classes[row] == 0; };
      payload_.n_class_0 =
          static_cast<std::uint32_t>(std::stable_partition(rows.begin(), rows.end(), is_0) - rows.begin());
    } else {
      gather(target_.value, rows, values_);
      payload_.values = values_.data();
      if constexpr (std::is_same_v<Payload, WeightedValues>) {
        gather(target_.weight, rows, weights_);
        payload_.weights = weights_.data();
      }
    }
    if (target_.is_regression()) {
      gather(target_.level, rows, levels_);
    }
  }

  template <class Word>
  void describe(GrowingNode& s, Arena&, const Word* words, std::uint32_t n,
                const std::vector<std::uint32_t>& rows) const {
    const PairSum sum = sum_of(words, n, payload_);
    s.a = sum.a, s.b = sum.b, s.rows = n;
    if (target_.is_regression()) describe_numbers(s, words, n);
    finish_pair_summary(s, target_, recipe_.criterion);
    if (target_.is_regression() && s.low == s.high)
      s.value = lowest_number(target_, n, [&](std::size_t i) { return rows[row_of(words[i])]; });
  }

  void describe_sums(GrowingNode& s) const { finish_pair_summary(s, target_, recipe_.criterion); }

  std::int64_t weight(std::uint32_t row) const { return payload_.a(row); }

  // each: if given, the best split of every column is added to it.
  template <class Word>
  Candidate find(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, const GrowingNode& s, const Arena&,
                 std::vector<Candidate>* each) {
    const PairView view = view_of(s, target_, recipe_);
    const Criterion criterion(view.node);
    Best best(criterion.best_possible(view.node));
    for_each_placement(view, PairSum{}, criterion, [&](const TwoSides<Criterion>& sides) { plain_.emplace(sides); });
    plain_goal_ = {};
    if (each) return find_in_each(lists, begin, n, view, criterion, std::move(best), *each);
    if constexpr (kQuadratic && !Payload::kCounts && sizeof(Word) == 4)
      if (n > kLaneRows) return find_by_gains(lists, begin, n, view, criterion, std::move(best));
    // The column that won last is looked at first: a good score at hand lets the other scans skip most of their rows.
    if (first_ < lists.n_columns()) find_in_column(lists, begin, n, first_, view, criterion, best);
    for (std::size_t k = 0; k < lists.n_columns(); ++k)
      if (k != first_) find_in_column(lists, begin, n, k, view, criterion, best);
    if (best.get().found()) first_ = static_cast<std::size_t>(best.get().column);
    return std::move(best.get());
  }

  // In lanes only what is quadratic: its gain is a square times a number that depends on the cut's place alone.
  static constexpr bool kQuadratic =
      Criterion::kQuadratic == Quadratic::exact && !std::is_same_v<Payload, WeightedValues>;
  bool fits_lanes(const GrowingNode& s) const
    requires kQuadratic
  {
    return s.rows <= kLaneRows;
  }
  template <class Word>
  Candidate find_in_lanes(const Lists<Word>& lists, Word* words, std::uint32_t n, const GrowingNode& s, const Arena&)
    requires kQuadratic
  {
    const PairView view = view_of(s, target_, recipe_);
    const Criterion criterion(view.node);
    Best best(criterion.best_possible(view.node));
    std::uint32_t rows[kLaneRows];
    for (std::uint32_t j = 0; j < n; ++j) rows[j] = row_of(words[j]);
    const LaneNode node{lists.codes(), {rows, n}, smallest_side(view)};
    in_lanes_.start(node);
    in_lanes_.find_numbers(node, [&](std::uint32_t j) { return payload_.b(rows[j]); }, s.b);
    for_each_placement(view, PairSum{}, criterion, [&](const TwoSides<Criterion>& sides) {
      in_lanes_.offer(best, [&](RowSet left, std::uint32_t n_left) {
        PairSum sum{n_left, 0, n_left};
        for_each_row(left, [&](std::uint32_t j) { sum.b += payload_.b(rows[j]); });
        return sides.score(sum);
      });
    });
    Word ordered[kLaneRows];
    in_lanes_.for_others([&](std::size_t k) {
      in_lanes_.put_in_order(words, k, ordered);
      find_in_list(ordered, n, lists.coded(k), static_cast<std::int32_t>(k), view, criterion, best);
    });
    if (best.get().found()) in_lanes_.put_in_order(words, static_cast<std::size_t>(best.get().column));
    return std::move(best.get());
  }

 private:
  // Where every row weighs 1.
  static std::uint32_t smallest_side(const PairView& view) {
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(view.min_weight, view.min_leaf, std::numeric_limits<std::uint32_t>::max() / 2));
  }

  static void gather(const std::vector<std::int64_t>& from, const std::vector<std::uint32_t>& rows,
                     std::vector<std::int64_t>& to) {
    to.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  }

  template <class Word>
  Candidate find_in_each(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, const PairView& view,
                         const Criterion& criterion, Best best, std::vector<Candidate>& each) {
    for (std::size_t k = 0; k < lists.n_columns(); ++k) {
      plain_goal_ = {};
      Best own(criterion.best_possible(view.node));
      find_in_column(lists, begin, n, k, view, criterion, own);
      keep_best(std::move(own), best, each);
    }
    return std::move(best.get());
  }

  // Numbers: every column's largest gain first, by sums of few digits; then those columns that may have the best cut.
  template <class Word>
  Candidate find_by_gains(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, const PairView& view,
                          const Criterion& criterion, Best best) {
    number_gains_.start(lists.list(0) + begin, n, payload_.values, view.total.b, smallest_side(view));
    column_gains_.assign(lists.n_columns(), -1.0f);
    float largest = -1;
    for (std::size_t k = 0; k < lists.n_columns(); ++k) {
      const Word* list = lists.list(k) + begin;
      const bool has_missing = rank_of(list[0]) == 0;
      if (!lists.coded(k).ordered() || (has_missing && recipe_.missing != MissingPolicy::learn)) {
        find_in_column(lists, begin, n, k, view, criterion, best);
      } else if (rank_of(list[0]) != rank_of(list[n - 1])) {
        lists.pause_before(n);
        column_gains_[k] = number_gains_.most(list);
        if (has_missing)
          column_gains_[k] = std::max(column_gains_[k], number_gains_.most(missing_behind(list, n, behind_)));
        largest = std::max(largest, column_gains_[k]);
      }
    }
    const float least = number_gains_.least(largest);
    for (std::size_t k = 0; k < lists.n_columns(); ++k)
      if (column_gains_[k] >= least) find_in_column(lists, begin, n, k, view, criterion, best);
    return std::move(best.get());
  }

  template <class Word>
  void find_in_column(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, std::size_t k,
                      const PairView& view, const Criterion& criterion, Best& best) {
    lists.pause_before(n);
    find_in_list(lists.list(k) + begin, n, lists.coded(k), static_cast<std::int32_t>(k), view, criterion, best);
  }

  // list: the rows of the node in the order of the column.
  template <class Word>
  void find_in_list(const Word* list, std::uint32_t n, const Column& column, std::int32_t k, const PairView& view,
                    const Criterion& criterion, Best& best) {
    if (rank_of(list[0]) == rank_of(list[n - 1])) return;
    const std::uint32_t n_missing = count_missing(list, n);
    const PairSum missing = sum_of(list, n_missing, payload_);
    if (column.ordered())
      find_threshold(list + n_missing, n - n_missing, missing, view, criterion, k, best);
    else
      find_grouping(list + n_missing, n - n_missing, missing, view, criterion, column.n_codes, k, best);
  }

  template <class Word>
  void describe_numbers(GrowingNode& s, const Word* words, std::uint32_t n) const {
    s.low = s.high = levels_[row_of(words[0])];
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::int64_t level = levels_[row_of(words[i])];
      s.low = std::min(s.low, level), s.high = std::max(s.high, level);
    }
    s.impurity = s.spread = 0;
    if (s.low == s.high) return;
    SpreadSum spread(s, target_, recipe_.criterion);
    for (std::uint32_t i = 0; i < n; ++i) spread.add(levels_[row_of(words[i])], payload_.a(row_of(words[i])), target_);
    s.impurity = spread.impurity(s, target_);
    s.spread = spread.in_score_units(target_);
  }

  template <class Word>
  static std::uint32_t count_missing(const Word* list, std::uint32_t n) {
    if (rank_of(list[0]) != 0) return 0;
    return static_cast<std::uint32_t>(
        std::partition_point(list, list + n, [](Word word) { return rank_of(word) == 0; }) - list);
  }

  template <class Word>
  void find_threshold(const Word* known, std::uint32_t n, const PairSum& missing, const PairView& view,
                      const Criterion& criterion, std::int32_t k, Best& best) {
    if (missing.rows == 0) {  // the usual case: one placement, the same for every column
      if (plain_->possible()) ThresholdScan(known, n, payload_, *plain_, view.node, k, best, plain_goal_).run();
      return;
    }
    for_each_placement(view, missing, criterion, [&](const TwoSides<Criterion>& sides) {
      Goal goal;
      if (n > 0 && sides.possible()) ThresholdScan(known, n, payload_, sides, view.node, k, best, goal).run();
    });
    offer_known_or_missing(view, missing, criterion, k, CutKind::threshold, n, best);
  }

  template <class Word>
  void find_grouping(const Word* known, std::uint32_t n, const PairSum& missing, const PairView& view,
                     const Criterion& criterion, std::uint32_t n_codes, std::int32_t k, Best& best) {
    level_sums_.clear();
    for (std::uint32_t i = 0; i < n;) {  // one run of equal ranks after the other, added up in registers
      const std::uint32_t rank = rank_of(known[i]), start = i;
      std::int64_t a = 0, b = 0;
      for (; i < n && rank_of(known[i]) == rank; ++i)
        a += payload_.a(row_of(known[i])), b += payload_.b(row_of(known[i]));
      level_sums_.push_back({rank, PairSum{a, b, i - start}, 0});
    }
    const double charge =
        level_charge(level_sums_.size(), n_codes, view.unit * criterion.best_possible(view.node) / view.node.a);
    find_levels(level_sums_, missing, view, criterion, k, charge, best);
  }

  const Target& target_;
  const Recipe& recipe_;
  Payload payload_;
  std::size_t first_ = 0;
  std::optional<TwoSides<Criterion>> plain_;  // of the present node, for columns without missing rows
  Goal plain_goal_;
  std::vector<std::int64_t> values_, weights_, levels_;
  std::vector<LevelSum> level_sums_;
  CutInLanes in_lanes_;
  NumberGains number_gains_;
  std::vector<float> column_gains_;
  std::vector<std::uint32_t> behind_;
};

}  // namespace tw
