// Finds the best two-way grouping of a nominal column's levels for two classes or a numeric target.
//
// By convexity the best grouping is a prefix of the levels ordered by their rate b/a (Breiman et al. 1984, theorem
// 4.5; it holds for every phi in criterion/pair.hpp), so L levels need L − 1 looks instead of 2^(L−1).
// The cut number of a grouping is the length of its prefix.
#pragma once

#include <algorithm>  // for sort
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/finder/threshold_in_list.hpp"
#include "grow/finder/two_sides.hpp"

namespace tw {

struct LevelSum {
  std::uint32_t code = 0;
  PairSum sum;
};

// Lower rate first, equal rates by code. Compared exactly, as products of integers.
inline bool lower_rate(const LevelSum& x, const LevelSum& y) {
  const __int128 left = static_cast<__int128>(x.sum.b) * y.sum.a, right = static_cast<__int128>(y.sum.b) * x.sum.a;
  return left != right ? left < right : x.code < y.code;
}

// levels: the known levels present at the node, in any order; sorted here.
template <class Criterion>
void find_levels(std::vector<LevelSum>& levels, const PairSum& missing, const PairView& view,
                 const Criterion& criterion, std::int32_t column, Best& best) {
  if (levels.empty()) return;
  std::sort(levels.begin(), levels.end(), lower_rate);
  std::uint32_t prefix = 0;  // levels of the best grouping of this column
  for_each_placement(view, missing, criterion, [&](const TwoSides<Criterion>& sides) {
    PairSum left = sides.start;
    for (std::uint32_t i = 0; i + 1 < levels.size(); ++i) {
      left += levels[i].sum;
      if (!sides.allowed(left)) continue;
      const double score = sides.score(left);
      if (score >= best.reach() && best.offer(score, column, i + 1, sides.missing_left)) {
        best.get().kind = CutKind::levels;
        prefix = i + 1;
      }
    }
  });
  const auto n_levels = static_cast<std::uint32_t>(levels.size());
  offer_known_or_missing(view, missing, criterion, column, CutKind::levels, n_levels, best);
  Candidate& winner = best.get();
  if (winner.column != column) return;
  if (winner.known_or_missing) prefix = n_levels;
  winner.left_levels.clear();
  for (std::uint32_t i = 0; i < prefix; ++i) winner.left_levels.push_back(levels[i].code);
  std::sort(winner.left_levels.begin(), winner.left_levels.end());
}

}  // namespace tw
