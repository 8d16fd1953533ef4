// The search at a node of a forest for two classes or a numeric target. Criterion is one of grow/criterion/pair.hpp,
// Sums one of pair_payload.hpp. Small nodes are summed without sorting, larger ones sort the codes of a column.
#pragma once

#include <algorithm>  // for max, min
#include <cmath>      // for log
#include <optional>   // for optional
#include <vector>     // for vector

#include "ensemble/small_tree.hpp"
#include "grow/exact/finder/levels_by_rate.hpp"
#include "grow/exact/finder/threshold_in_list.hpp"
#include "grow/exact/pair_block.hpp"
#include "grow/forest/all_pairs.hpp"
#include "grow/forest/class_search.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/forest_rules.hpp"
#include "grow/forest/level_orders.hpp"
#include "grow/forest/pair_payload.hpp"
#include "grow/forest/sort_codes.hpp"

namespace tw {

template <class Criterion, class Sums>
class PairSearch {
 public:
  static constexpr bool kCounts = Sums::kInWord;  // the sum of a node's rows is all there is to know of them
  PairSearch(const Target& target, const ForestRules& rules) : target_(target), rules_(rules) {
    units_.n_classes = target.n_classes;
    units_.level_unit = target.level_unit, units_.offset = target.offset;
  }

  void start_tree(const Draws& draws) {
    sums_.start_tree(target_, draws, rules_, units_);
    if (target_.is_regression()) levels_.whole() = target_.level;
  }
  void enter_block(const std::uint32_t* rows, std::uint32_t n) {
    sums_.enter_block(rows, n);
    if (target_.is_regression()) levels_.enter_block(rows, n);
  }
  void leave_block() { sums_.leave_block(), levels_.leave_block(); }

  // Adds the rows of a node up; everything below is about this node.
  void describe(const std::uint32_t* rows, std::uint32_t n) {
    if (n == 1) return describe_one(rows[0]);
    sums_.gather(rows, n);
    const PairSum sum = sums_.total(n);
    node_.rows = n, node_.a = sum.a, node_.b = sum.b, node_.impurity = node_.spread = 0;
    if (target_.is_regression()) describe_numbers(rows, n);
    finish_pair_summary(node_, units_, rules_.recipe.criterion);
    if (!node_.pure) prepare();
  }
  // The same where the sum of the rows is known: look_closer() must follow if the node is to be divided.
  void describe(const PairSum& sum)
    requires kCounts
  {
    node_.rows = sum.rows, node_.a = sum.a, node_.b = sum.b;
    finish_pair_summary(node_, units_, rules_.recipe.criterion);
    is_ready_ = false;
  }
  void look_closer(const std::uint32_t* rows) {
    if (is_ready_) return;
    sums_.gather(rows, node_.rows);
    prepare();
  }
  bool pure() const { return node_.pure; }
  std::uint32_t rows() const { return node_.rows; }
  double weight() const { return static_cast<double>(node_.a) * units_.weight_unit; }
  double best_possible() const { return criterion_->best_possible(view_.node); }

  void look(const ForestColumn& column, std::int32_t k, const std::uint16_t* codes, const CodeRange& range,
            Best& best) {
    if (!column.ordered()) return look_at_levels(column, k, codes, best);
    if (node_.rows <= Sums::kMostSmall) return look_at_few(k, codes, range, best);
    if (node_.rows >= kFewestForBuckets && Sums::fits_buckets(view_.total)) {
      buckets_.count(codes, node_.rows, range, sums_);
      return buckets_.find(codes, node_.rows, sums_, view_, *criterion_, k, best);
    }
    if (Sums::kInWord || node_.rows <= 65536) return look_in_order(k, codes, words_, best);
    look_in_order(k, codes, wide_words_, best);
  }

  // How much the division lowers the impurity; side[i] is 1 for rows that take branch 0, else 2.
  double gain(const std::uint16_t* side) { return gain(sums_.up_to(side, node_.rows, 1)); }
  double gain(const PairSum& left) {
    left_ = left;
    first_is_heavier_ = 2 * static_cast<double>(left.a) >= static_cast<double>(node_.a);
    const double unit = target_.is_regression() ? units_.value_unit / units_.weight_unit * units_.value_unit : 1;
    const double per = target_.is_regression() ? weight() : static_cast<double>(node_.a);
    const double nats = rules_.recipe.criterion == CriterionName::entropy ? std::log(2.0) : 1;
    return std::max(0.0, plain_->score(left) / per * unit / nats);
  }
  // A node of two rows that differ: which of them had better be on the left. −1: the first, 1: the second, 0: either.
  int side_of_two() const {
    if constexpr (kCounts) return 0;
    const Best scale(best_possible());
    const std::int64_t first = scale.quantise(plain_->score(sums_.at(0)));
    const std::int64_t second = scale.quantise(plain_->score(sums_.at(1)));
    return first > second ? -1 : first < second;
  }
  double gain_of_two(bool second_is_left) { return gain(sums_.at(second_is_left)); }
  // Of the division last asked about.
  const PairSum& left() const { return left_; }
  PairSum right() const { return view_.total - left_; }
  // Of the division last asked about: rows without a value follow the heavier branch where none was seen.
  bool first_is_heavier() const { return first_is_heavier_; }

  void write_leaf(SmallTree& tree) const {
    tree.n_rows.push_back(node_.rows);
    tree.weight.push_back(weight());
    tree.impurity.push_back(node_.impurity);
    if (target_.is_regression()) return tree.value.push_back(node_.value);
    for (std::uint16_t k = 0; k < 2; ++k) {
      const std::int64_t w = k ? node_.b : node_.a - node_.b;
      if (w == 0) continue;
      tree.count_class.push_back(k);
      tree.count_weight.push_back(static_cast<double>(w) * units_.weight_unit);
    }
    tree.count_start.push_back(static_cast<std::uint32_t>(tree.count_class.size()));
  }

 protected:
  static constexpr std::uint32_t kAfterAll = 65536;  // the place of "known or not" among the cuts of a column

  // Most leaves of a fully grown tree.
  void describe_one(std::uint32_t row) {
    const PairSum sum = sums_.of_row(row);
    node_.rows = 1, node_.a = sum.a, node_.b = sum.b, node_.impurity = node_.spread = 0;
    if (target_.is_regression()) node_.low = node_.high = levels_.data()[row];
    finish_pair_summary(node_, units_, rules_.recipe.criterion);
  }

  void describe_numbers(const std::uint32_t* rows, std::uint32_t n) {
    const std::int64_t* level = levels_.data();
    node_.low = node_.high = level[rows[0]];
    for (std::uint32_t i = 0; i < n; ++i) {
      node_.low = std::min(node_.low, level[rows[i]]), node_.high = std::max(node_.high, level[rows[i]]);
    }
    if (node_.low == node_.high) return;
    SpreadSum spread(node_, units_, rules_.recipe.criterion);
    for (std::uint32_t i = 0; i < n; ++i) spread.add(level[rows[i]], sums_.at(i).a, units_);
    node_.impurity = spread.impurity(node_, units_);
    node_.spread = spread.in_score_units(units_);
  }

  void prepare() {
    view_ = view_of(node_, units_, rules_.recipe);
    criterion_.emplace(view_.node);
    for_each_placement(view_, PairSum{}, *criterion_, [&](const TwoSides<Criterion>& sides) { plain_.emplace(sides); });
    plain_goal_ = {};
    is_ready_ = true;
  }

  template <class Where>
  PairSum sum_where(const std::uint16_t* codes, Where where) const {
    PairSum sum;
    for (std::uint32_t i = 0; i < node_.rows; ++i) {
      const PairSum one = sums_.at(i);
      const bool here = where(codes[i]);
      sum.a += here ? one.a : 0, sum.b += here ? one.b : 0, sum.rows += here;
    }
    return sum;
  }

  // ---------------------------------------------------------------- few rows
  void look_at_few(std::int32_t k, const std::uint16_t* codes, const CodeRange& range, Best& best) {
    const std::uint32_t n = node_.rows;
    for (std::uint32_t i = 0; i < n; ++i) code_[i] = codes[i];
    sums_.small_sums(code_, n, a_, b_);
    if (view_.min_leaf > 1) count_rows(n);
    if (!range.has_missing) return score_few(*plain_, range.highest, k, best, plain_goal_);
    const PairSum missing = sum_where(codes, [](std::uint32_t c) { return c == 0; });
    for_each_placement(view_, missing, *criterion_, [&](const TwoSides<Criterion>& sides) {
      if (!sides.missing_left) set_apart(missing);
      Goal goal;
      score_few(sides, range.highest, k, best, goal);
    });
    offer_known_or_missing(view_, missing, *criterion_, k, CutKind::threshold, kAfterAll, best);
  }

  void count_rows(std::uint32_t n) {
    alignas(64) std::uint32_t one[kPairsRoom];
    std::fill(one, one + n, 1u);
    sums_up_to(code_, one, n, rows_left_);
  }
  void set_apart(const PairSum& missing) {
    for (std::uint32_t i = 0; i < node_.rows; ++i) {
      a_[i] -= static_cast<double>(missing.a), b_[i] -= static_cast<double>(missing.b);
      if (view_.min_leaf > 1) rows_left_[i] -= missing.rows;
    }
  }

  bool allowed(const TwoSides<Criterion>& sides, std::uint32_t i) const {
    if (view_.min_weight > 0 && (a_[i] < double(view_.min_weight) || sides.whole_a - a_[i] < double(view_.min_weight)))
      return false;
    return view_.min_leaf <= 1 ||
           (rows_left_[i] >= view_.min_leaf && sides.whole.rows - rows_left_[i] >= view_.min_leaf);
  }

  void score_few(const TwoSides<Criterion>& sides, std::uint32_t highest, std::int32_t k, Best& best, Goal& last) {
    const std::uint32_t n = node_.rows;
    double least = -1;  // scores below this are not looked at
    const bool limited = view_.min_leaf > 1 || view_.min_weight > 0;
    if constexpr (Criterion::kQuadratic == Quadratic::exact) {
      const CutSums cuts{a_, b_, code_, n, highest};
      const double largest = quadratic_scores(cuts, sides.mean, sides.whole_a, scores_);
      const Goal goal = sides.goal(best.reach(), last);
      if (goal.level > 0 && sides.quadratic * largest < goal.level) return;
      least = limited ? (goal.level > 0 ? goal.level / sides.quadratic : 0) : largest * (1 - 1e-9);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      if constexpr (Criterion::kQuadratic == Quadratic::exact) {
        if (!(scores_[i] >= least) || scores_[i] < 0) continue;
      }
      if (code_[i] == 0 || code_[i] >= highest || (limited && !allowed(sides, i))) continue;
      const double score = sides.score(a_[i], b_[i]);
      if (score < best.reach() || !best.offer(score, k, code_[i], sides.missing_left)) continue;
      best.get().kind = CutKind::threshold;
      best.get().bucket = code_[i];
    }
  }

  // ---------------------------------------------------------------- many rows
  template <class Word>
  void look_in_order(std::int32_t k, const std::uint16_t* codes, std::vector<Word>& words, Best& best) {
    const std::uint32_t n = node_.rows;
    if (words.size() < 2 * (n + 16)) words.resize(2 * (n + 16));
    for (std::uint32_t i = 0; i < n; ++i) words[i] = make_word<Word>(codes[i], sums_.word(i));
    const Word* list = sort(words.data(), words.data() + n + 16, n);
    std::uint32_t n_missing = 0;
    while (n_missing < n && rank_of(list[n_missing]) == 0) ++n_missing;
    const Word* known = list + n_missing;
    const auto payload = sums_.payload();
    scan(known, n - n_missing, payload, sum_of(list, n_missing, payload), k, best);
    Candidate& winner = best.get();
    if (winner.column == k && !winner.known_or_missing && winner.kind == CutKind::threshold)
      winner.bucket = rank_of(known[winner.cut - 1]);
  }

  static std::uint64_t* sort(std::uint64_t* words, std::uint64_t* other, std::uint32_t n) {
    return sort_by_code(words, other, n);
  }
  static std::uint32_t* sort(std::uint32_t* words, std::uint32_t* other, std::uint32_t n) {
    if (!Sums::kInWord && n <= kMostPairs) return sort_few(words, other, n);
    return sort_by_code(words, other, n);
  }

  template <class Word, class Payload>
  void scan(const Word* known, std::uint32_t n, const Payload& payload, const PairSum& missing, std::int32_t k,
            Best& best) {
    if (missing.rows == 0) {
      if (plain_->possible()) ThresholdScan(known, n, payload, *plain_, view_.node, k, best, plain_goal_).run();
      return;
    }
    for_each_placement(view_, missing, *criterion_, [&](const TwoSides<Criterion>& sides) {
      Goal goal;
      if (n > 0 && sides.possible()) ThresholdScan(known, n, payload, sides, view_.node, k, best, goal).run();
    });
    offer_known_or_missing(view_, missing, *criterion_, k, CutKind::threshold, n, best);
  }

  // ---------------------------------------------------------------- levels
  void look_at_levels(const ForestColumn& column, std::int32_t k, const std::uint16_t* codes, Best& best) {
    const PairSum missing = add_up_levels(column, codes);
    const double apart = gain_of_levels_apart(missing), discount = discount_of_levels(missing, apart);
    // No grouping gains more than all levels apart.
    if (discount * apart + best_possible() * kRounding < best.reach() && missing.rows == 0) return;
    Best own(best_possible());  // among the groupings of this column
    if (level_sums_.size() <= kMostSortedLevels) {
      find_levels(level_sums_, missing, view_, *criterion_, k, 0, own);
    } else {
      slots_.fill(level_sums_);
      slots_.find(level_sums_, missing, view_, *criterion_, k, own);
    }
    offer_discounted(own.get(), best_possible(), discount, best);
  }

  static constexpr double kRounding = 1e-6;  // of sums of scores, as a share of the largest one, and more
  double gain_of_levels_apart(const PairSum& missing) const {
    double gain = criterion_->phi(double(missing.a), double(missing.b)) - criterion_->phi(view_.node.a, view_.node.b);
    for (const LevelSum& level : level_sums_) gain += criterion_->phi(double(level.sum.a), double(level.sum.b));
    return gain;
  }
  double discount_of_levels(const PairSum& missing, double gain) const {
    if (level_sums_.size() <= 2) return 1;
    return level_discount(level_sums_.size() + (missing.rows > 0), gain, best_possible() / view_.node.a, sums_.noise());
  }

  // Fills level_sums_ with the levels present; gives the rows without one.
  PairSum add_up_levels(const ForestColumn& column, const std::uint16_t* codes) {
    const std::uint32_t n = node_.rows;
    if constexpr (kCounts)
      if (Sums::fits_buckets(view_.total)) return counts_by_code_.add_up(codes, n, column.n_codes, sums_, level_sums_);
    level_sums_.clear();
    if (column.n_codes > 4 * n) {
      present_.find(codes, n, column.n_codes, false);
      for (const std::uint32_t code : present_.codes()) level_sums_.push_back({code, PairSum{}, 0});
      PairSum missing;
      for (std::uint32_t i = 0; i < n; ++i)
        (codes[i] ? level_sums_[present_.place(codes[i])].sum : missing) += sums_.at(i);
      return missing;
    }
    by_code_.assign(column.n_codes + 1, PairSum{});
    for (std::uint32_t i = 0; i < n; ++i) by_code_[codes[i]] += sums_.at(i);
    for (std::uint32_t code = 1; code <= column.n_codes; ++code)
      if (by_code_[code].rows) level_sums_.push_back({code, by_code_[code], 0});
    return by_code_[0];
  }

  const Target& target_;
  const ForestRules& rules_;
  Target units_;  // the units of this tree's sums; no rows
  Sums sums_;
  RowNumbers<std::int64_t> levels_;

  GrowingNode node_;
  PairView view_;
  std::optional<Criterion> criterion_;
  std::optional<TwoSides<Criterion>> plain_;  // for columns without missing rows
  Goal plain_goal_;
  PairSum left_;
  bool first_is_heavier_ = true, is_ready_ = false;

  alignas(64) std::uint32_t code_[kPairsRoom], rows_left_[kPairsRoom];
  alignas(64) double a_[kPairsRoom], b_[kPairsRoom], scores_[kPairsRoom];
  std::vector<std::uint32_t> words_;
  std::vector<std::uint64_t> wide_words_;
  PresentLevels present_;
  std::vector<LevelSum> level_sums_;
  CountsByCode counts_by_code_;
  CodeBuckets buckets_;
  std::vector<PairSum> by_code_;
  LevelSlots slots_;
};

}  // namespace tw
