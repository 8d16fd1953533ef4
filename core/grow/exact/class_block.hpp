// The search inside a block for three classes or more: see block_grower.hpp for how it is used.
// Classes are numbered anew at each node (only those present count), so a node of ten rows never pays for 1,000
// classes.
#pragma once

#include <algorithm>  // for partition_point, sort
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/criterion/classes.hpp"
#include "grow/exact/finder/levels_by_rate.hpp"
#include "grow/exact/lists.hpp"
#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

inline double counts_impurity(CriterionName criterion, ConstCounts counts) {
  const double n = static_cast<double>(total_of(counts));
  if (criterion == CriterionName::entropy) return -ClassEntropy::phi(counts) / n / std::log(2.0) + 0.0;
  if (criterion == CriterionName::error) return -ClassError::phi(counts) / n + 0.0;
  return -WideClassGini::phi(counts) / n + 0.0;
}

template <class Criterion>
class ClassBlock {
 public:
  static constexpr bool kDescribesByDifference = false;
  void describe_sums(GrowingNode&) const {}

  ClassBlock(const Target& target, const Recipe& recipe)
      : target_(target), recipe_(recipe), min_weight_(recipe.stop.min_weight_leaf / target.weight_unit * (1 - 1e-12)) {}

  void number_rows(std::vector<std::uint32_t>& rows) {
    class_of_.resize(rows.size());
    local_.resize(rows.size());
    weights_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) class_of_[i] = target_.classes[rows[i]];
    if (!target_.unit_weights())
      for (auto row : rows) weights_.push_back(target_.weight[row]);
    dense_.assign(target_.n_classes, 0);
  }

  std::int64_t weight(std::uint32_t row) const { return weights_.empty() ? 1 : weights_[row]; }

  template <class Word>
  void describe(GrowingNode& s, Arena& arena, const Word* words, std::uint32_t n, const std::vector<std::uint32_t>&) {
    present_.clear();
    s.rows = n, s.a = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t row = row_of(words[i]);
      std::int64_t& count = dense_[class_of_[row]];
      if (count == 0) present_.push_back(class_of_[row]);
      count += weight(row);
    }
    std::sort(present_.begin(), present_.end());
    s.count_begin = static_cast<std::uint32_t>(arena.counts.size());
    s.n_counts = static_cast<std::uint32_t>(present_.size());
    totals_.clear();
    for (auto k : present_) {
      arena.counts.push_back({k, dense_[k]});
      totals_.push_back(dense_[k]);
      s.a += dense_[k];
      dense_[k] = 0;
    }
    s.pure = present_.size() <= 1;
    s.impurity = s.pure ? 0 : counts_impurity(recipe_.criterion, totals_);
  }

  template <class Word>
  Candidate find(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, const GrowingNode& s,
                 const Arena& arena, std::vector<Candidate>* each) {
    number_classes(lists.list(0) + begin, n, s, arena);
    Best all(Criterion::scale(totals_));
    for (std::size_t k = 0; k < lists.n_columns(); ++k) {
      Best own(Criterion::scale(totals_));
      Best& best = each ? own : all;
      lists.pause_before(n);
      const Word* list = lists.list(k) + begin;
      if (rank_of(list[0]) == rank_of(list[n - 1])) continue;
      const auto n_missing = static_cast<std::uint32_t>(
          std::partition_point(list, list + n, [](Word word) { return rank_of(word) == 0; }) - list);
      missing_.assign(totals_.size(), 0);
      for (std::uint32_t i = 0; i < n_missing; ++i) missing_[local_[row_of(list[i])]] += weight(row_of(list[i]));
      const Slice<Word> known{list + n_missing, n - n_missing, n_missing, static_cast<std::int32_t>(k)};
      const bool ordered = lists.coded(k).ordered();
      if (!ordered) fill_levels(known);
      if (ordered)
        for_each_placement(known, [&](Placement& p) { scan(known, p, best); });
      else
        find_grouping(known, lists.coded(k).n_codes, best);
      offer_known_or_missing(known, ordered, best);
      if (each) keep_best(std::move(own), all, *each);
    }
    return std::move(all.get());
  }

 private:
  template <class Word>
  struct Slice {
    const Word* words;
    std::uint32_t n, n_missing;
    std::int32_t column;
  };

  // Missing rows in their place: where the scan starts, how many rows the split divides, what is added to the score.
  struct Placement {
    bool missing_left;
    std::uint32_t start_rows, whole_rows;
    double base, factor;
    bool with_missing;  // the whole includes the missing rows
  };

  template <class Word>
  void number_classes(const Word* words, std::uint32_t n, const GrowingNode& s, const Arena& arena) {
    totals_.clear();
    for (std::uint32_t k = 0; k < s.n_counts; ++k) {
      const ClassWeight& c = arena.counts[s.count_begin + k];
      totals_.push_back(c.weight);
      dense_[c.class_index] = k;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t row = row_of(words[i]);
      local_[row] = static_cast<std::uint16_t>(dense_[class_of_[row]]);
    }
    for (std::uint32_t k = 0; k < s.n_counts; ++k) dense_[arena.counts[s.count_begin + k].class_index] = 0;
  }

  std::uint32_t min_leaf() const {
    return static_cast<std::uint32_t>(std::max<std::int64_t>(1, recipe_.stop.min_samples_leaf));
  }
  // The weights are those of sides_ as it stands.
  bool allowed(std::uint32_t left_rows, std::uint32_t whole_rows) const {
    return left_rows >= min_leaf() && whole_rows - left_rows >= min_leaf() && double(sides_.n_left) >= min_weight_ &&
           double(sides_.n_right) >= min_weight_;
  }

  std::vector<std::int64_t> known_totals() const {
    std::vector<std::int64_t> known = totals_;
    for (std::size_t k = 0; k < known.size(); ++k) known[k] -= missing_[k];
    return known;
  }

  template <class Word, class F>
  void for_each_placement(const Slice<Word>& known, F f) {
    const std::uint32_t all = known.n + known.n_missing;
    const double parent = Criterion::phi(totals_);
    auto call = [&](Placement p) { f(p); };
    if (known.n_missing == 0) return call({true, 0, all, -parent, 1, true});
    if (recipe_.missing == MissingPolicy::learn) {
      call({true, known.n_missing, all, -parent, 1, true});
      return call({false, 0, all, -parent, 1, true});
    }
    const auto totals = known_totals();
    const double share = Criterion::known_factor(static_cast<double>(total_of(totals)) / total_of(totals_));
    if (recipe_.missing == MissingPolicy::larger)
      return call({true, 0, known.n, -Criterion::phi(totals), share, false});
    if (known.n_missing < min_leaf() || double(total_of(missing_)) < min_weight_) return;
    if constexpr (Criterion::kThirdBranch) {
      sides_.third = missing_;
      call({true, 0, known.n, 0, 1, false});
      sides_.third = {};
    } else {
      call({true, 0, known.n, Criterion::phi(missing_) - (Criterion::kAdditive ? parent : 0), share, false});
    }
  }

  void start(const Placement& p) {
    left_.assign(totals_.size(), 0);
    right_ = totals_;
    if (p.missing_left || !p.with_missing)
      for (std::size_t k = 0; k < right_.size(); ++k) right_[k] -= missing_[k];
    if (p.missing_left && p.with_missing) left_ = missing_;
    sides_.start(left_, right_);
  }

  bool offer(const Placement& p, std::int32_t column, std::uint32_t cut, CutKind kind, Best& best) {
    const double score = sides_.score() * p.factor + p.base;
    if (score < best.reach() || !best.offer(score, column, cut, p.missing_left)) return false;
    best.get().kind = kind;
    own_score_ = score;
    return true;
  }

  // Rows of one value move together: a long run is added up first, so that columns with few values cost little.
  template <class Word>
  void scan(const Slice<Word>& known, const Placement& p, Best& best) {
    start(p);
    for (std::uint32_t i = 0, end; i < known.n; i = end) {
      for (end = i + 1; end < known.n && rank_of(known.words[end]) == rank_of(known.words[i]);) ++end;
      if (end == known.n) return;
      move_rows(known.words + i, end - i);
      if (allowed(p.start_rows + end, p.whole_rows)) offer(p, known.column, end, CutKind::threshold, best);
    }
  }

  template <class Word>
  void move_rows(const Word* words, std::uint32_t n) {
    if (n < 16) {
      for (std::uint32_t i = 0; i < n; ++i) sides_.move(local_[row_of(words[i])], weight(row_of(words[i])));
      return;
    }
    run_.assign(totals_.size(), 0);
    for (std::uint32_t i = 0; i < n; ++i) run_[local_[row_of(words[i])]] += weight(row_of(words[i]));
    for (std::uint32_t k = 0; k < run_.size(); ++k)
      if (run_[k]) sides_.move(k, run_[k]);
  }

  template <class Word>
  void fill_levels(const Slice<Word>& known) {
    levels_.n_classes = totals_.size();
    levels_.rank.clear(), levels_.rows.clear(), levels_.counts.clear();
    for (std::uint32_t i = 0; i < known.n; ++i) {
      const std::uint32_t rank = rank_of(known.words[i]), row = row_of(known.words[i]);
      if (i == 0 || rank != levels_.rank.back()) {
        levels_.rank.push_back(rank);
        levels_.rows.push_back(0);
        levels_.counts.resize(levels_.counts.size() + totals_.size(), 0);
      }
      ++levels_.rows.back();
      levels_.counts[levels_.counts.size() - totals_.size() + local_[row]] += weight(row);
    }
    levels_.n_levels = levels_.rank.size();
  }

  // The best grouping of the column by itself, then against the other columns at its charge (see levels_by_rate.hpp).
  template <class Word>
  void find_grouping(const Slice<Word>& known, std::uint32_t n_codes, Best& best) {
    const double scale = Criterion::scale(totals_);
    const double one_row =
        scale / (Criterion::kAdditive ? double(total_of(totals_)) * target_.weight_unit : double(known.n));
    Best own(scale);
    own_score_ = 0;
    for_each_placement(known, [&](Placement& p) { group(known, p, own); });
    if (!own.get().found()) return;
    take_levels(own.get());
    const double charged = own_score_ - level_charge(levels_.n_levels, n_codes, one_row);
    if (best.offer(charged, known.column, own.get().cut, own.get().missing_left)) {
      best.get().kind = CutKind::levels;
      best.get().left_levels = std::move(own.get().left_levels);
    }
  }

  template <class Word>
  void group(const Slice<Word>& known, const Placement& p, Best& own) {
    if (levels_.n_levels < 2) return;
    std::uint32_t rows = 0;
    for_each_grouping(
        levels_,
        [&] {
          start(p);
          rows = p.start_rows;
        },
        [&](std::uint32_t l) {
          for (std::size_t k = 0; k < totals_.size(); ++k)
            if (const std::int64_t w = levels_.level(l)[k]) sides_.move(static_cast<std::uint32_t>(k), w);
          rows += levels_.rows[l];
        },
        [&](std::uint32_t number) {
          if (allowed(rows, p.whole_rows)) offer(p, known.column, number, CutKind::levels, own);
          return true;
        });
  }

  // Which levels the winning grouping puts left: the groupings are passed once more until its number comes up.
  void take_levels(Candidate& winner) const {
    std::vector<std::uint32_t> moved;
    for_each_grouping(
        levels_, [&] { moved.clear(); }, [&](std::uint32_t l) { moved.push_back(levels_.rank[l]); },
        [&](std::uint32_t number) {
          if (number == winner.cut) set_left_levels(moved, winner);
          return number != winner.cut;
        });
  }

  // Branch 0 holds the first level present, whichever way the grouping was found.
  void set_left_levels(const std::vector<std::uint32_t>& moved, Candidate& winner) const {
    winner.left_levels = moved;
    std::sort(winner.left_levels.begin(), winner.left_levels.end());
    if (winner.left_levels.front() == levels_.rank.front()) return;
    std::vector<std::uint32_t> others;
    std::set_difference(levels_.rank.begin(), levels_.rank.end(), winner.left_levels.begin(), winner.left_levels.end(),
                        std::back_inserter(others));
    winner.left_levels = std::move(others);
    winner.missing_left = !winner.missing_left;
  }

  template <class Word>
  void offer_known_or_missing(const Slice<Word>& known, bool ordered, Best& best) {
    const std::uint32_t all = known.n + known.n_missing;
    if (recipe_.missing != MissingPolicy::learn || known.n_missing == 0 || known.n == 0) return;
    const Placement p{false, 0, all, -Criterion::phi(totals_), 1, true};
    left_ = known_totals();
    right_ = missing_;
    sides_.start(left_, right_);
    if (!allowed(known.n, all)) return;
    if (!offer(p, known.column, 0xffffffffu, ordered ? CutKind::threshold : CutKind::levels, best)) return;
    best.get().known_or_missing = true;
    if (ordered)
      best.get().cut = known.n;
    else
      best.get().left_levels = levels_.rank;
  }

  const Target& target_;
  const Recipe& recipe_;
  double min_weight_, own_score_ = 0;
  Criterion sides_;
  std::vector<std::uint16_t> class_of_, local_;
  std::vector<std::uint32_t> present_;
  std::vector<std::int64_t> weights_, dense_, totals_, missing_, left_, right_, run_;
  LevelTable levels_;
};

}  // namespace tw
