// TwoSides: what a scan needs to score a cut, once missing rows have been given their place.
//
// A scan starts with `start` on the left (the missing rows, where they go left) and everything else of `whole` on the
// right; a cut with left sum L scores  phi(L) + phi(whole − L) + base.
#pragma once

#include <array>    // for array
#include <cstdint>  // for int64_t

#include "grow/criterion/pair.hpp"
#include "grow/recipe.hpp"
#include "grow/summary/pair_sum.hpp"

namespace tw {

struct PairView {  // one node, as finders see it
  PairSum total;
  PairNode node;  // the same in doubles, with the range of single rows
  std::uint32_t min_leaf = 1;
  MissingPolicy missing = MissingPolicy::learn;
};

template <class Criterion>
struct TwoSides {
  Criterion criterion;
  PairSum start, whole;
  double base = 0;
  double whole_a = 0, whole_b = 0;
  std::uint32_t min_leaf = 1;
  bool missing_left = true;

  TwoSides(const Criterion& c, const PairSum& start_, const PairSum& whole_, double base_, const PairView& view,
           bool left)
      : criterion(c), start(start_), whole(whole_), base(base_), whole_a(double(whole_.a)), whole_b(double(whole_.b)),
        min_leaf(view.min_leaf), missing_left(left) {}

  double score(double a, double b) const {
    return criterion.phi(a, b) + criterion.phi(whole_a - a, whole_b - b) + base;
  }
  double score(const PairSum& left) const { return score(double(left.a), double(left.b)); }
  bool allowed(std::uint32_t left_rows) const { return left_rows >= min_leaf && whole.rows - left_rows >= min_leaf; }
  bool possible() const { return whole.rows >= 2 * min_leaf; }

  // No cut among rows that together add (da, db) to a left side of (a, b) can score above this: the left sum moves
  // within the parallelogram spanned by single rows of the lowest and the highest b/a, and the score is convex.
  double corner_bound(double a, double b, double da, double db, const PairNode& node) const {
    const double range = node.highest - node.lowest;
    double high = range > 0 ? (db - node.lowest * da) / range : 0;
    high = high < 0 ? 0 : high > da ? da : high;
    const double low = da - high;
    const double first = score(a + high, b + node.highest * high), second = score(a + low, b + node.lowest * low);
    return first > second ? first : second;
  }
};

// Calls f(sides) for every way the policy places the missing rows of a column.
template <class Criterion, class F>
void for_each_placement(const PairView& view, const PairSum& missing, const Criterion& criterion, F&& f) {
  const double parent = criterion.phi(view.node.a, view.node.b);
  if (missing.rows == 0) return f(TwoSides(criterion, PairSum{}, view.total, -parent, view, true));
  const PairSum known = view.total - missing;
  if (view.missing == MissingPolicy::learn) {
    f(TwoSides(criterion, missing, view.total, -parent, view, true));
    f(TwoSides(criterion, PairSum{}, view.total, -parent, view, false));
  } else if (view.missing == MissingPolicy::larger) {
    const double known_parent = criterion.phi(double(known.a), double(known.b));
    f(TwoSides(criterion, PairSum{}, known, -known_parent, view, true));
  } else if (missing.rows >= view.min_leaf) {
    const double alone = criterion.phi(double(missing.a), double(missing.b));
    f(TwoSides(criterion, PairSum{}, known, alone - parent, view, true));
  }
}

}  // namespace tw
