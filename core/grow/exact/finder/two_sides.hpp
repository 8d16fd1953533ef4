// TwoSides: what a scan needs to score a cut, once missing rows have been given their place.
//
// A scan starts with `start` on the left (the missing rows, where they go left) and everything else of `whole` on the
// right; a cut with left sum L scores  phi(L) + phi(whole − L) + base.
#pragma once

#include <cmath>    // for abs, expm1
#include <cstdint>  // for int64_t
#include <limits>   // for numeric_limits

#include "grow/criterion/pair.hpp"
#include "grow/exact/pair_sum.hpp"
#include "grow/recipe.hpp"

namespace tw {

struct PairView {  // one node, as finders see it
  PairSum total;
  PairNode node;  // the same in doubles, with the range of single rows
  std::uint32_t min_leaf = 1;
  std::int64_t min_weight = 0;
  double unit = 1;  // a weight of 1, in the units of the sums
  MissingPolicy missing = MissingPolicy::learn;
  bool two_way_only = false;  // the criterion knows no third branch (twoing): missing rows stay outside the score
};

// A score to reach, and what it asks of the quadratic form (see criterion/pair.hpp).
struct Goal {
  double reach = std::numeric_limits<double>::quiet_NaN(), level = 0;
};

template <class Criterion>
struct TwoSides {
  Criterion criterion;
  PairSum start, whole;
  double base = 0;
  double whole_a = 0, whole_b = 0;
  double mean = 0, constant = 0, quadratic = 0;  // of the quadratic form
  std::uint32_t min_leaf = 1;
  std::int64_t min_weight = 0;
  bool missing_left = true;

  TwoSides(const Criterion& c, const PairSum& start_, const PairSum& whole_, double base_, const PairView& view,
           bool left)
      : criterion(c), start(start_), whole(whole_), base(base_), whole_a(double(whole_.a)), whole_b(double(whole_.b)),
        mean(whole_b / safe(whole_a)), min_leaf(view.min_leaf), min_weight(view.min_weight), missing_left(left) {
    constant = criterion.phi(whole_a, whole_b) + base;
    if constexpr (Criterion::kQuadratic != Quadratic::none)
      quadratic = criterion.quadratic(whole_a, whole_b) * whole_a * (1 + 1e-9);
  }

  // The goal for a score; asked again for the same score, it costs nothing.
  Goal goal(double reach, Goal& last) const {
    if (last.reach != reach) last = goal(reach);
    return last;
  }
  Goal goal(double reach) const {
    if constexpr (Criterion::kQuadratic == Quadratic::exact) return {reach, reach - constant};
    if constexpr (Criterion::kQuadratic == Quadratic::bound)
      return {reach, reach - constant > 0 ? whole_a * std::expm1((reach - constant) / whole_a) : -1.0};
    return {reach, 0};
  }

  double score(double a, double b) const {
    return criterion.phi(a, b) + criterion.phi(whole_a - a, whole_b - b) + base;
  }
  double score(const PairSum& left) const { return score(double(left.a), double(left.b)); }
  bool allowed(const PairSum& left) const {
    return left.rows >= min_leaf && whole.rows - left.rows >= min_leaf && left.a >= min_weight &&
           whole.a - left.a >= min_weight;
  }
  bool possible() const { return whole.rows >= 2 * min_leaf; }

  // Whether the score of (a, b) may reach the goal, with a little to spare; never false for one that does.
  bool may_reach(double a, double b, const Goal& goal) const {
    if constexpr (Criterion::kQuadratic != Quadratic::none) {
      const double d = b - mean * a;
      const bool passes = quadratic * d * d >= goal.level * a * (whole_a - a) || goal.level <= 0;
      if (Criterion::kQuadratic == Quadratic::exact || !passes) return passes;
    }
    const double s = score(a, b);
    return s + 1e-9 * std::abs(s) >= goal.reach;
  }

  // Whether any cut among rows that together add (da, db) to a left side of (a, b) may reach the goal: the left sum
  // moves within the parallelogram spanned by single rows of the lowest and the highest b/a, and the score is convex,
  // so the two inner corners decide (the outer two are cuts of their own).
  bool may_reach_inside(double a, double b, double da, double db, const PairNode& node, const Goal& goal) const {
    const double range = node.highest - node.lowest;
    double high = range > 0 ? (db - node.lowest * da) / range : 0;
    high = high < 0 ? 0 : high > da ? da : high;
    const double low = da - high;
    return may_reach(a + high, b + node.highest * high, goal) || may_reach(a + low, b + node.lowest * low, goal);
  }
};

// Calls f(sides) for every way the policy places the missing rows of a column.
template <class Criterion, class F>
void for_each_placement(const PairView& view, const PairSum& missing, const Criterion& criterion, F&& f) {
  const double parent = criterion.phi(view.node.a, view.node.b);
  if (missing.rows == 0) return f(TwoSides(criterion, PairSum{}, view.total, -parent, view, true));
  const PairSum known = view.total - missing;
  const bool known_only =
      view.missing == MissingPolicy::larger || (view.missing == MissingPolicy::branch && view.two_way_only);
  if (view.missing == MissingPolicy::learn) {
    f(TwoSides(criterion, missing, view.total, -parent, view, true));
    f(TwoSides(criterion, PairSum{}, view.total, -parent, view, false));
  } else if (view.missing == MissingPolicy::branch && (missing.rows < view.min_leaf || missing.a < view.min_weight)) {
    return;
  } else if (known_only) {
    PairNode node = view.node;
    node.a = double(known.a), node.b = double(known.b);
    const auto alone = for_known_rows<Criterion>(node, node.a / view.node.a);
    f(TwoSides(alone, PairSum{}, known, -alone.phi(node.a, node.b), view, true));
  } else {
    const double alone = criterion.phi(double(missing.a), double(missing.b));
    f(TwoSides(criterion, PairSum{}, known, alone - parent, view, true));
  }
}

}  // namespace tw
