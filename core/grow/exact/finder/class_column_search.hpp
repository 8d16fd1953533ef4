// ClassColumnSearch: what a search in one column of a node knows of its classes, wherever its rows come from: how
// missing rows are placed, what a cut or a grouping of levels scores, and which of them are allowed.
#pragma once

#include <algorithm>  // for set_difference, sort
#include <cmath>      // for ceil
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/criterion/classes.hpp"
#include "grow/exact/finder/level_groupings.hpp"
#include "grow/exact/finder/level_scatter.hpp"
#include "grow/exact/finder/levels_by_rate.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

// The rows of a node that have a value in a column, and how many have none.
struct KnownRows {
  std::uint32_t n, n_missing;
  std::int32_t column;
};

template <class Criterion>
class ClassColumnSearch {
 protected:
  ClassColumnSearch(const Target& target, const Recipe& recipe)
      : target_(target), recipe_(recipe), min_weight_(recipe.stop.min_weight_leaf / target.weight_unit * (1 - 1e-12)) {}

  // Missing rows in their place: where the scan starts, how many rows the split divides, what is added to the score.
  struct Placement {
    bool missing_left;
    std::uint32_t start_rows, whole_rows;
    double base, factor;
    bool with_missing;  // the whole includes the missing rows
  };

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

  template <class F>
  void for_each_placement(const KnownRows& known, F f) {
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

  // The best grouping of the column by itself, then against the other columns at its charge (see levels_by_rate.hpp).
  void find_grouping(const KnownRows& known, std::uint32_t n_codes, Best& best) {
    const double scale = Criterion::scale(totals_);
    const double one_row =
        scale / (Criterion::kAdditive ? double(total_of(totals_)) * target_.weight_unit : double(known.n));
    const double charge = level_charge(levels_.n_levels, n_codes, one_row);
    if (most_of_levels(known, scale) - charge < best.reach()) return;
    if (!may_gain(known, best.reach() + charge - scale * kRounding)) return;
    Best own(scale);
    own_score_ = 0;
    levels_.list_classes();
    for_each_placement(known, [&](Placement& p) { group(known, p, own); });
    if (!own.get().found()) return;
    take_levels(own.get());
    const double charged = own_score_ - charge;
    if (best.offer(charged, known.column, own.get().cut, own.get().missing_left)) {
      best.get().kind = CutKind::levels;
      best.get().left_levels = std::move(own.get().left_levels);
    }
  }

  // No grouping scores more than all levels apart, the missing rows too, where the criterion adds branches up.
  double most_of_levels(const KnownRows& known, double scale) const {
    if (!Criterion::kAdditive || (known.n_missing > 0 && recipe_.missing != MissingPolicy::learn)) return 1e300;
    double apart = (known.n_missing > 0 ? Criterion::phi(missing_) : 0) - Criterion::phi(totals_);
    for (std::size_t l = 0; l < levels_.n_levels; ++l) apart += Criterion::phi(levels_.level(l));
    return apart + scale * kRounding;
  }

  // Whether a grouping might score as much, its missing rows on either side.
  bool may_gain(const KnownRows& known, double least) {
    if constexpr (GainsBySquares<Criterion>)
      if (known.n_missing == 0 || recipe_.missing == MissingPolicy::learn)
        return scatter_.may_gain(levels_, missing_, totals_, least);
    return true;
  }

  void group(const KnownRows& known, const Placement& p, Best& own) {
    if (levels_.n_levels < 2) return;
    std::uint32_t rows = 0;
    for_each_grouping(
        levels_,
        [&] {
          start(p);
          rows = p.start_rows;
        },
        [&](std::uint32_t l, bool left) {
          for (const auto& [k, w] : levels_.classes_of(l)) sides_.move(k, left ? w : -w);
          rows += left ? levels_.rows[l] : -levels_.rows[l];
        },
        [&](std::uint32_t number) {
          if (allowed(rows, p.whole_rows)) offer(p, known.column, number, CutKind::levels, own);
        });
  }

  // Which levels the winning grouping puts left.
  void take_levels(Candidate& winner) const {
    std::vector<std::uint32_t> moved = levels_of_grouping(levels_, winner.cut);
    for (std::uint32_t& level : moved) level = levels_.rank[level];
    set_left_levels(moved, winner);
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

  void offer_known_or_missing(const KnownRows& known, bool ordered, Best& best) {
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

  static constexpr double kRounding = 1e-9;  // of sums of scores, as a share of the largest one, and more

  const Target& target_;
  const Recipe& recipe_;
  double min_weight_, own_score_ = 0;
  Criterion sides_;
  std::vector<std::int64_t> totals_, missing_, left_, right_;  // by class, numbered as at the node
  LevelTable levels_;                                          // of the column, where it is read as such
  LevelScatter scatter_;
};

}  // namespace tw
