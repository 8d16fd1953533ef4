// Two-way groupings of nominal levels for three classes or more, where no ordering theorem helps.
//
// Up to 10 levels: every grouping. More: the prefixes of a few good orders (first principal direction of the class
// shares, then the share of each class) and every level against the rest (algorithm after Coppersmith, Hong and
// Hosking 1999, "Partitioning nominal attributes in decision trees"). The number of a grouping is its place in this
// sequence; among equal scores the first wins.
#pragma once

#include <algorithm>  // for sort
#include <cstdint>    // for int64_t
#include <numeric>    // for iota
#include <vector>     // for vector

#include "grow/criterion/classes.hpp"

namespace tw {

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
