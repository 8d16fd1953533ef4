// Finds the best two-way grouping of a nominal column's levels for two classes or a numeric target.
//
// By convexity the best grouping is a prefix of the levels ordered by their rate b/a (Breiman et al. 1984, theorem
// 4.5; it holds for every phi in criterion/pair.hpp), so L levels need L − 1 looks instead of 2^(L−1).
// The cut number of a grouping is the length of its prefix.
//
// Many levels sorted by their rate look like a good split even where they mean nothing: on pure noise a prefix gains
// a good part of the variance between the levels, which is (levels − 1) · (impurity of one row). Columns with more
// than 255 levels are charged that much before they are compared with other columns. (Narrower ones are not, so that
// trees equal those of rpart.)
#pragma once

#include <algorithm>  // for sort
#include <cmath>      // for abs
#include <cstdint>    // for int64_t
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/exact/finder/threshold_in_list.hpp"
#include "grow/exact/finder/two_sides.hpp"

namespace tw {

struct LevelSum {
  std::uint32_t code = 0;
  PairSum sum;
  double rate = 0;  // filled in by find_levels
};

// Lower rate first, equal rates by code. Rates that nearly agree are compared exactly, as products of integers.
inline bool lower_rate(const LevelSum& x, const LevelSum& y) {
  if (std::abs(x.rate - y.rate) > 1e-12 * (std::abs(x.rate) + std::abs(y.rate))) return x.rate < y.rate;
  const __int128 left = static_cast<__int128>(x.sum.b) * y.sum.a, right = static_cast<__int128>(y.sum.b) * x.sum.a;
  return left != right ? left < right : x.code < y.code;
}

constexpr std::uint32_t kWideColumn = 255;  // levels; wider columns are charged for their choice

inline double level_charge(std::size_t n_levels, std::uint32_t levels_of_column, double impurity_of_one_row) {
  if (levels_of_column <= kWideColumn || n_levels < 2) return 0;
  return double(n_levels - 1) * impurity_of_one_row;
}

// levels: the known levels present at the node, in any order; sorted here. charge: taken off the score.
template <class Criterion>
void find_levels(std::vector<LevelSum>& levels, const PairSum& missing, const PairView& view,
                 const Criterion& criterion, std::int32_t column, double charge, Best& best) {
  if (levels.empty()) return;
  for (LevelSum& level : levels) level.rate = double(level.sum.b) / double(level.sum.a);
  std::sort(levels.begin(), levels.end(), lower_rate);
  Best own(criterion.best_possible(view.node));  // among the groupings of this column
  double own_score = 0;
  for_each_placement(view, missing, criterion, [&](const TwoSides<Criterion>& sides) {
    PairSum left = sides.start;
    for (std::uint32_t i = 0; i + 1 < levels.size(); ++i) {
      left += levels[i].sum;
      if (!sides.allowed(left)) continue;
      const double score = sides.score(left);
      if (score >= own.reach() && own.offer(score, column, i + 1, sides.missing_left)) own_score = score - charge;
    }
  });
  const auto n_levels = static_cast<std::uint32_t>(levels.size());
  if (own.get().found() && best.offer(own_score, column, own.get().cut, own.get().missing_left)) {
    Candidate& winner = best.get();
    winner.kind = CutKind::levels;
    for (std::uint32_t i = 0; i < winner.cut; ++i) winner.left_levels.push_back(levels[i].code);
    std::sort(winner.left_levels.begin(), winner.left_levels.end());
  }
  offer_known_or_missing(view, missing, criterion, column, CutKind::levels, n_levels, best);
  Candidate& winner = best.get();
  if (winner.column != column || !winner.known_or_missing) return;
  for (const LevelSum& level : levels) winner.left_levels.push_back(level.code);
  std::sort(winner.left_levels.begin(), winner.left_levels.end());
}

}  // namespace tw
