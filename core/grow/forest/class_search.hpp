// Class and weight of the rows of a tree for three classes or more. At a node the classes present are numbered anew, so
// that a node of ten rows never pays for 1,000 classes.
#pragma once

#include <algorithm>  // for sort, max, set_difference
#include <cmath>      // for log
#include <cstdint>    // for uint16_t, uint64_t
#include <iterator>   // for back_inserter
#include <vector>     // for vector

#include "ensemble/small_tree.hpp"
#include "grow/exact/class_block.hpp"
#include "grow/exact/finder/levels_by_rate.hpp"
#include "grow/forest/all_pairs.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/forest_rules.hpp"
#include "grow/forest/level_orders.hpp"
#include "grow/forest/pair_payload.hpp"
#include "grow/forest/sort_codes.hpp"
#include "grow/forest/tree_weights.hpp"
#include "table/target.hpp"

namespace tw {

class ClassRows {
 public:
  double start_tree(const Target& target, const Draws& draws, const ForestRules& rules) {
    class_.whole() = target.classes;
    place_.assign(target.n_classes, 0), sum_.assign(target.n_classes, 0);
    const double unit = weigh_rows(target, draws, rules, weight_.whole());
    noise_ = noise_of_a_unit(target, draws, rules, weight_.whole());
    return unit;
  }
  void enter_block(const std::uint32_t* rows, std::uint32_t n) {
    class_.enter_block(rows, n), weight_.enter_block(rows, n);
  }
  void leave_block() { class_.leave_block(), weight_.leave_block(); }

  void gather(const std::uint32_t* rows, std::uint32_t n) {
    if (local_.size() < n) local_.resize(n), node_weight_.resize(n);
    present_.clear(), totals_.clear();
    const std::uint16_t* class_of = class_.data();
    const std::int64_t* weight_of = weight_.data();
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint16_t k = local_[i] = class_of[rows[i]];
      node_weight_[i] = weight_of[rows[i]];
      if (sum_[k] == 0) present_.push_back(k);
      sum_[k] += node_weight_[i];
    }
    if (present_.size() > 1) std::sort(present_.begin(), present_.end());
    for (std::uint16_t place = 0; place < present_.size(); ++place) {
      const std::uint16_t k = present_[place];
      totals_.push_back(sum_[k]);
      place_[k] = place, sum_[k] = 0;
    }
    if (present_.size() > 1)
      for (std::uint32_t i = 0; i < n; ++i) local_[i] = place_[local_[i]];
  }

  double noise() const { return noise_; }  // see noise_of_a_unit
  const std::vector<std::uint16_t>& present() const { return present_; }
  const std::vector<std::int64_t>& totals() const { return totals_; }
  std::uint32_t local(std::uint32_t i) const { return local_[i]; }
  const std::uint16_t* local() const { return local_.data(); }  // of all rows of the node
  std::int64_t weight(std::uint32_t i) const { return node_weight_[i]; }

 private:
  double noise_ = 1;
  RowNumbers<std::uint16_t> class_;
  RowNumbers<std::int64_t> weight_;
  std::vector<std::uint16_t> present_, local_, place_;
  std::vector<std::int64_t> node_weight_, totals_;
  std::vector<std::int64_t> sum_;  // of each class; all 0 between two nodes
};

// CountsByCode: rows, draws and draws of class 1 of every level at a node, for two classes without weights. The three
// share a word, so a row is one addition. All words are 0 between two nodes: only those of levels present are touched.

class CountsByCode {
 public:
  // Fills `to` with the levels present and gives the rows without one. Ascending where most codes may be present, else
  // in the order of the rows.
  PairSum add_up(const std::uint16_t* codes, std::uint32_t n, std::uint32_t n_codes, const CountsInWords& counts,
                 std::vector<LevelSum>& to) {
    if (words_.size() <= n_codes) words_.resize(n_codes + 1, 0);
    to.clear();
    n_codes > 4 * n ? add_few(codes, n, counts, to) : add_many(codes, n, n_codes, counts, to);
    return take(0);
  }

 private:
  PairSum take(std::uint32_t code) {
    const PairSum sum = CountsInWords::unpacked(words_[code]);
    words_[code] = 0;
    return sum;
  }

  void add_many(const std::uint16_t* codes, std::uint32_t n, std::uint32_t n_codes, const CountsInWords& counts,
                std::vector<LevelSum>& to) {
    counts.for_each_packed(n, [&](std::uint32_t i, std::uint64_t packed) { words_[codes[i]] += packed; });
    for (std::uint32_t code = 1; code <= n_codes; ++code)
      if (words_[code]) to.push_back({code, take(code), 0});
  }

  void add_few(const std::uint16_t* codes, std::uint32_t n, const CountsInWords& counts, std::vector<LevelSum>& to) {
    if (present_.size() <= n) present_.resize(n + 1);
    std::uint32_t n_present = 0;
    counts.for_each_packed(n, [&](std::uint32_t i, std::uint64_t packed) {
      std::uint64_t& word = words_[codes[i]];
      present_[n_present] = codes[i];
      n_present += word == 0 && codes[i] != 0;
      word += packed;
    });
    for (std::uint32_t k = 0; k < n_present; ++k) to.push_back({present_[k], take(present_[k]), 0});
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> present_;
};

// The search at a node of a forest for three classes or more. Criterion is one of grow/criterion/classes.hpp.

template <class Criterion>
class ClassSearch {
 public:
  static constexpr bool kCounts = false, kLists = false;

  ClassSearch(const Target& target, const ForestRules& rules) : target_(target), rules_(rules) {
    min_leaf_ = static_cast<std::uint32_t>(std::max<std::int64_t>(1, rules.recipe.stop.min_samples_leaf));
  }

  void start_tree(const Draws& draws) {
    weight_unit_ = classes_.start_tree(target_, draws, rules_);
    min_weight_ = rules_.recipe.stop.min_weight_leaf / weight_unit_ * (1 - 1e-12);
  }
  void enter_block(const std::uint32_t* rows, std::uint32_t n) { classes_.enter_block(rows, n); }
  void leave_block() { classes_.leave_block(); }

  void describe(const std::uint32_t* rows, std::uint32_t n) {
    classes_.gather(rows, n);
    n_ = n;
    total_ = total_of(classes_.totals());
    if (pure()) return;
    parent_ = Criterion::phi(classes_.totals());
    none_.assign(classes_.totals().size(), 0);
  }
  bool pure() const { return classes_.present().size() <= 1; }
  std::uint32_t rows() const { return n_; }
  double weight() const { return static_cast<double>(total_) * weight_unit_; }
  double best_possible() const { return -parent_; }

  void look(const ForestColumn& column, std::int32_t k, const std::uint16_t* codes, const CodeRange& range,
            Best& best) {
    count_missing(codes, range.has_missing);
    if (!column.ordered()) return look_at_levels(column, k, codes, best);
    n_ <= 65536 ? look_in_order(k, codes, words_, best) : look_in_order(k, codes, wide_words_, best);
  }

  double gain(const std::uint16_t* side) {
    sides_.start(copied(left_, none_), copied(right_, classes_.totals()));
    for (std::uint32_t i = 0; i < n_; ++i)
      if (side[i] == 1) sides_.move(classes_.local(i), classes_.weight(i));
    return gain_of_sides();
  }
  bool first_is_heavier() const { return first_is_heavier_; }
  // A node of two rows that differ: all the same, which of them is on the left.
  int side_of_two() const { return 0; }
  double gain_of_two(bool second_is_left) {
    left_.assign(classes_.totals().size(), 0);
    left_[classes_.local(second_is_left)] = classes_.weight(second_is_left);
    start_right();
    return gain_of_sides();
  }

  void write_leaf(SmallTree& tree) const {
    tree.n_rows.push_back(n_);
    tree.weight.push_back(weight());
    tree.impurity.push_back(pure() ? 0 : counts_impurity(rules_.recipe.criterion, classes_.totals()));
    for (std::size_t k = 0; k < classes_.present().size(); ++k) {
      tree.count_class.push_back(classes_.present()[k]);
      tree.count_weight.push_back(static_cast<double>(classes_.totals()[k]) * weight_unit_);
    }
    tree.count_start.push_back(static_cast<std::uint32_t>(tree.count_class.size()));
  }

 protected:
  static constexpr std::uint32_t kAfterAll = 65536;

  // Of the division that sides_ has.
  double gain_of_sides() {
    first_is_heavier_ = sides_.n_left >= sides_.n_right;
    const double nats = rules_.recipe.criterion == CriterionName::entropy ? std::log(2.0) : 1;
    return std::max(0.0, (sides_.score() - parent_) / static_cast<double>(total_) / nats);
  }

  // Fills the right side with what is not on the left one, and sides_ with both.
  void start_right() {
    const std::vector<std::int64_t>& totals = classes_.totals();
    right_.resize(totals.size());
    for (std::size_t c = 0; c < totals.size(); ++c) right_[c] = totals[c] - left_[c];
    sides_.start(left_, right_);
  }

  static Counts copied(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
    to = from;
    return to;
  }

  void count_missing(const std::uint16_t* codes, bool any) {
    missing_ = none_;
    n_missing_ = 0;
    for (std::uint32_t i = 0; any && i < n_; ++i) {
      if (codes[i] != 0) continue;
      missing_[classes_.local(i)] += classes_.weight(i);
      ++n_missing_;
    }
  }

  // Calls f(missing goes left) for both sides, or once where nothing is missing; sides_ is ready for a scan.
  template <class F>
  void for_each_side(F f) {
    for (const bool missing_left : {true, false}) {
      if (!missing_left && n_missing_ == 0) return;
      copied(left_, missing_left ? missing_ : none_);
      copied(right_, classes_.totals());
      for (std::size_t k = 0; k < right_.size(); ++k) right_[k] -= left_[k];
      sides_.start(left_, right_);
      f(missing_left);
    }
  }

  bool allowed(std::uint32_t rows_left) const {
    return rows_left >= min_leaf_ && n_ - rows_left >= min_leaf_ && double(sides_.n_left) >= min_weight_ &&
           double(sides_.n_right) >= min_weight_;
  }

  bool offer(std::int32_t k, std::uint32_t cut, bool missing_left, CutKind kind, Best& best) {
    const double score = sides_.score() - parent_;
    if (score < best.reach() || !best.offer(score, k, cut, missing_left)) return false;
    best.get().kind = kind;
    return true;
  }

  // ---------------------------------------------------------------- ordered columns
  std::uint32_t* sort(std::vector<std::uint32_t>& words) {
    std::uint32_t* other = words.data() + n_ + 16;
    return n_ > kMostPairs ? sort_by_code(words.data(), other, n_) : sort_few(words.data(), other, n_);
  }
  std::uint64_t* sort(std::vector<std::uint64_t>& words) {
    return sort_by_code(words.data(), words.data() + n_ + 16, n_);
  }

  template <class Word>
  void look_in_order(std::int32_t k, const std::uint16_t* codes, std::vector<Word>& words, Best& best) {
    if (words.size() < 2 * (n_ + 16)) words.resize(2 * (n_ + 16));
    for (std::uint32_t i = 0; i < n_; ++i) words[i] = make_word<Word>(codes[i], i);
    const Word* known = sort(words) + n_missing_;
    const std::uint32_t n_known = n_ - n_missing_;
    for_each_side([&](bool missing_left) { scan(known, n_known, missing_left, k, best); });
    offer_known_or_missing(k, CutKind::threshold, best);
  }

  template <class Word>
  void scan(const Word* known, std::uint32_t n, bool missing_left, std::int32_t k, Best& best) {
    const std::uint32_t before = missing_left ? n_missing_ : 0;
    for (std::uint32_t i = 0; i + 1 < n; ++i) {
      const std::uint32_t at = row_of(known[i]), code = rank_of(known[i]);
      sides_.move(classes_.local(at), classes_.weight(at));
      if (code == rank_of(known[i + 1]) || !allowed(before + i + 1)) continue;
      if (offer(k, code, missing_left, CutKind::threshold, best)) best.get().bucket = code;
    }
  }

  void offer_known_or_missing(std::int32_t k, CutKind kind, Best& best) {
    if (n_missing_ == 0 || n_missing_ == n_) return;
    sides_.start(copied(left_, classes_.totals()), copied(right_, missing_));
    for (std::size_t c = 0; c < left_.size(); ++c) left_[c] -= missing_[c];
    sides_.start(left_, right_);
    if (!allowed(n_ - n_missing_) || !offer(k, kAfterAll, false, kind, best)) return;
    best.get().known_or_missing = true;
    if (kind == CutKind::levels) best.get().left_levels = present_.codes();
  }

  // ---------------------------------------------------------------- levels
  void look_at_levels(const ForestColumn& column, std::int32_t k, const std::uint16_t* codes, Best& best) {
    present_.find(codes, n_, column.n_codes);
    fill_levels(codes);
    const double apart = gain_of_levels_apart(), discount = discount_of_levels(apart);
    if (n_missing_ == 0 && Criterion::kAdditive && cannot_reach(apart * discount, best)) return;
    if (levels_.n_levels > kMostGroupedLevels) order_ = principal_order(levels_);
    Best own(best_possible());  // among the groupings of this column
    if (levels_.n_levels > 1) for_each_side([&](bool missing_left) { group(missing_left, k, own); });
    if (own.get().found()) take_levels(own.get());
    offer_known_or_missing(k, CutKind::levels, own);
    offer_discounted(own.get(), best_possible(), discount, best);
  }

  double gain_of_levels_apart() const {
    double gain = (n_missing_ ? Criterion::phi(missing_) : 0) - parent_;
    for (std::size_t l = 0; l < levels_.n_levels; ++l) gain += Criterion::phi(levels_.level(l));
    return gain;
  }

  // No grouping gains more than all levels apart.
  bool cannot_reach(double gain, const Best& best) const { return gain + best_possible() * 1e-6 < best.reach(); }

  double discount_of_levels(double gain) const {
    if (levels_.n_levels <= 2) return 1;
    return level_discount(levels_.n_levels + (n_missing_ > 0), gain, best_possible() / static_cast<double>(total_),
                          classes_.noise());
  }

  void fill_levels(const std::uint16_t* codes) {
    const std::size_t n_classes = none_.size();
    levels_.n_classes = n_classes, levels_.n_levels = present_.codes().size();
    levels_.rank = present_.codes();
    levels_.rows.assign(levels_.n_levels, 0);
    levels_.counts.assign(levels_.n_levels * n_classes, 0);
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (codes[i] == 0) continue;
      const std::uint32_t l = present_.place(codes[i]);
      ++levels_.rows[l];
      levels_.counts[l * n_classes + classes_.local(i)] += classes_.weight(i);
    }
  }

  void group(bool missing_left, std::int32_t k, Best& own) {
    start_left_ = left_, start_right_ = right_;
    std::uint32_t rows = 0;
    for_each_forest_grouping(
        static_cast<std::uint32_t>(levels_.n_levels), order_,
        [&] {
          sides_.start(copied(left_, start_left_), copied(right_, start_right_));
          rows = missing_left ? n_missing_ : 0;
        },
        [&](std::uint32_t l) {
          for (std::uint32_t c = 0; c < levels_.n_classes; ++c)
            if (const std::int64_t w = levels_.level(l)[c]) sides_.move(c, w);
          rows += levels_.rows[l];
        },
        [&](std::uint32_t number) {
          if (allowed(rows)) offer(k, number, missing_left, CutKind::levels, own);
          return true;
        });
  }

  // Which levels the winning grouping puts left. Branch 0 holds the first level present.
  void take_levels(Candidate& winner) {
    std::vector<std::uint32_t>& moved = left_levels_;
    for_each_forest_grouping(
        static_cast<std::uint32_t>(levels_.n_levels), order_, [&] { moved.clear(); },
        [&](std::uint32_t l) { moved.push_back(levels_.rank[l]); },
        [&](std::uint32_t number) { return number != winner.cut; });
    std::sort(moved.begin(), moved.end());
    winner.left_levels = moved;
    if (moved.front() == levels_.rank.front()) return;
    winner.left_levels.clear();
    std::set_difference(levels_.rank.begin(), levels_.rank.end(), moved.begin(), moved.end(),
                        std::back_inserter(winner.left_levels));
    winner.missing_left = !winner.missing_left;
  }

  const Target& target_;
  const ForestRules& rules_;
  std::uint32_t min_leaf_ = 1;
  double min_weight_ = 0, weight_unit_ = 1;
  ClassRows classes_;

  std::uint32_t n_ = 0, n_missing_ = 0;
  std::int64_t total_ = 0;
  double parent_ = 0;
  bool first_is_heavier_ = true;
  Criterion sides_;
  std::vector<std::int64_t> none_, missing_, left_, right_, start_left_, start_right_;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint64_t> wide_words_;
  PresentLevels present_;
  LevelTable levels_;
  std::vector<std::uint32_t> order_, left_levels_;
};

}  // namespace tw
