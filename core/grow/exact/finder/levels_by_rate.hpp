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
#include <numeric>    // for iota
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/criterion/classes.hpp"
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

// Two-way groupings of nominal levels for three classes or more, where no ordering theorem helps.
//
// Up to 10 levels: every grouping. More: the prefixes of a few good orders (first principal direction of the class
// shares, then the share of each class) and every level against the rest (algorithm after Coppersmith, Hong and
// Hosking 1999, "Partitioning nominal attributes in decision trees"). The number of a grouping is its place in this
// sequence; among equal scores the first wins.

constexpr std::size_t kMaxExhaustiveLevels = 10;
constexpr std::size_t kMaxClassOrders = 32;

// The class counts of every known level present at a node, by rows: level l has counts[l * n_classes + k].
struct LevelTable {
  std::size_t n_levels = 0, n_classes = 0;
  std::vector<std::uint32_t> rank;  // of each level, ascending
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> counts;

  ConstCounts level(std::size_t l) const { return {counts.data() + l * n_classes, n_classes}; }
};

// Levels in the order of their coordinate on the first principal direction of the class shares (power iteration from
// a fixed start, so that the answer is always the same).
inline std::vector<std::uint32_t> principal_order(const LevelTable& table) {
  const std::size_t K = table.n_classes, L = table.n_levels;
  std::vector<double> share(L * K), mean(K, 0), direction(K), weight(L);
  double total = 0;
  for (std::size_t l = 0; l < L; ++l) {
    weight[l] = static_cast<double>(total_of(table.level(l)));
    total += weight[l];
    for (std::size_t k = 0; k < K; ++k) share[l * K + k] = table.level(l)[k] / weight[l], mean[k] += table.level(l)[k];
  }
  for (std::size_t k = 0; k < K; ++k) direction[k] = 1.0 / (k + 1.0), mean[k] /= total;
  std::vector<double> coordinate(L);
  for (int round = 0; round < 30; ++round) {
    std::vector<double> next(K, 0);
    for (std::size_t l = 0; l < L; ++l) {
      double dot = 0;
      for (std::size_t k = 0; k < K; ++k) dot += (share[l * K + k] - mean[k]) * direction[k];
      coordinate[l] = dot;
      for (std::size_t k = 0; k < K; ++k) next[k] += weight[l] * dot * (share[l * K + k] - mean[k]);
    }
    double norm = 0;
    for (double x : next) norm += x * x;
    if (norm <= 0) break;
    for (std::size_t k = 0; k < K; ++k) direction[k] = next[k] / std::sqrt(norm);
  }
  std::vector<std::uint32_t> order(L);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return coordinate[x] < coordinate[y]; });
  return order;
}

inline std::vector<std::uint32_t> order_by_class(const LevelTable& table, std::size_t k) {
  std::vector<std::uint32_t> order(table.n_levels);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) {
    const __int128 total_x = total_of(table.level(x)), total_y = total_of(table.level(y));
    return table.level(x)[k] * total_y < table.level(y)[k] * total_x;
  });
  return order;
}

// Goes through the groupings: reset() empties the left branch, move(level) puts a level into it, visit(number) is
// called when a grouping is complete and returns false to stop.
template <class Reset, class Move, class Visit>
void for_each_grouping(const LevelTable& table, Reset reset, Move move, Visit visit) {
  const auto L = static_cast<std::uint32_t>(table.n_levels);
  if (L <= kMaxExhaustiveLevels) {  // the mask names the levels away from the first one; bit i is level i + 1
    for (std::uint32_t mask = 1; mask < (1u << (L - 1)); ++mask) {
      reset();
      for (std::uint32_t l = 0; l < L; ++l)
        if (l == 0 || !(mask >> (l - 1) & 1)) move(l);
      if (!visit(mask)) return;
    }
    return;
  }
  std::uint32_t number = 0;
  auto prefixes = [&](const std::vector<std::uint32_t>& order) {
    reset();
    for (std::uint32_t i = 0; i + 1 < L; ++i) {
      move(order[i]);
      if (!visit(++number)) return false;
    }
    return true;
  };
  if (!prefixes(principal_order(table))) return;
  for (std::uint32_t l = 0; l < L; ++l) {
    reset();
    move(l);
    if (!visit(++number)) return;
  }
  for (std::size_t k = 0; k < std::min(table.n_classes, kMaxClassOrders); ++k)
    if (!prefixes(order_by_class(table, k))) return;
}

}  // namespace tw
