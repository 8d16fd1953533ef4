// Two-way groupings of nominal levels for three classes or more, where no ordering theorem helps.
//
// Up to 10 levels: every grouping. More: the prefixes of a few good orders (first principal direction of the class
// shares, then the share of each class) and every level against the rest (algorithm after Coppersmith, Hong and
// Hosking 1999, "Partitioning nominal attributes in decision trees"). The number of a grouping is its place in this
// sequence; among equal scores the smallest number wins, in whatever order they are looked at.
#pragma once

#include <algorithm>  // for all_of, min, stable_sort
#include <bit>        // for countr_zero
#include <cstdint>    // for int64_t
#include <numeric>    // for iota
#include <span>       // for span
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

  // The classes that a level has, where they were listed: small nodes have few of them in each.
  struct Entry {
    std::uint32_t class_index;
    std::int64_t weight;
  };
  void list_classes() {
    entries_.clear(), totals_.clear(), begin_.assign(1, 0);
    for (std::size_t l = 0; l < n_levels; ++l) {
      std::int64_t total = 0;
      for (std::size_t k = 0; k < n_classes; ++k)
        if (const std::int64_t w = level(l)[k]) entries_.push_back({static_cast<std::uint32_t>(k), w}), total += w;
      begin_.push_back(entries_.size());
      totals_.push_back(total);
    }
  }
  std::span<const Entry> classes_of(std::size_t l) const {
    return {entries_.data() + begin_[l], begin_[l + 1] - begin_[l]};
  }
  std::int64_t total(std::size_t l) const { return totals_[l]; }

 private:
  std::vector<Entry> entries_;
  std::vector<std::size_t> begin_;
  std::vector<std::int64_t> totals_;
};

// Levels in the order of their coordinate on the first principal direction of the class shares (power iteration from
// a fixed start, so that the answer is always the same).
std::vector<std::uint32_t> principal_order(const LevelTable& table);

// By the share of a class; its classes are listed. Levels without it come first, as they stand.
inline std::vector<std::uint32_t> order_by_class(const LevelTable& table, std::size_t k) {
  std::vector<std::uint32_t> order, with;
  bool any_weigh_nothing = false;
  for (std::uint32_t l = 0; l < table.n_levels; ++l) {
    any_weigh_nothing |= table.total(l) == 0;
    (table.level(l)[k] == 0 ? order : with).push_back(l);
  }
  if (any_weigh_nothing) {  // which is neither more nor less than any share
    order.resize(table.n_levels), with.clear();
    std::iota(order.begin(), order.end(), 0u);
  }
  auto& sorted = any_weigh_nothing ? order : with;
  std::stable_sort(sorted.begin(), sorted.end(), [&](auto x, auto y) {
    const __int128 total_x = table.total(x), total_y = table.total(y);
    return table.level(x)[k] * total_y < table.level(y)[k] * total_x;
  });
  order.insert(order.end(), with.begin(), with.end());
  return order;
}

// Goes through the groupings: reset() empties the left branch, move(level, left) puts a level into it or takes it out
// again, visit(number) is called when a grouping is complete.
template <class Reset, class Move, class Visit>
void for_each_grouping(const LevelTable& table, Reset reset, Move move, Visit visit) {
  const auto L = static_cast<std::uint32_t>(table.n_levels);
  reset();
  if (L <= kMaxExhaustiveLevels) {  // the mask names the levels away from the first one; bit i is level i + 1
    for (std::uint32_t l = 0; l < L; ++l) move(l, true);
    for (std::uint32_t step = 1, mask = 0; step < (1u << (L - 1)); ++step) {  // one level at a time (Gray's code)
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(step));
      mask ^= 1u << bit;
      move(bit + 1, !(mask >> bit & 1));
      visit(mask);
    }
    return;
  }
  std::uint32_t number = 0;
  auto prefixes = [&](const std::vector<std::uint32_t>& order) {
    reset();
    for (std::uint32_t i = 0; i + 1 < L; ++i) {
      move(order[i], true);
      visit(++number);
    }
  };
  prefixes(principal_order(table));
  reset();
  for (std::uint32_t l = 0; l < L; ++l) {
    move(l, true);
    visit(++number);
    move(l, false);
  }
  for (std::size_t k = 0; k < std::min(table.n_classes, kMaxClassOrders); ++k) prefixes(order_by_class(table, k));
}

// The levels that the grouping of a number puts left.
inline std::vector<std::uint32_t> levels_of_grouping(const LevelTable& table, std::uint32_t number) {
  const auto L = static_cast<std::uint32_t>(table.n_levels);
  std::vector<std::uint32_t> left;
  if (L <= kMaxExhaustiveLevels) {
    for (std::uint32_t l = 0; l < L; ++l)
      if (l == 0 || !(number >> (l - 1) & 1)) left.push_back(l);
    return left;
  }
  std::uint32_t place = number - 1;  // principal order, each level alone, an order a class
  if (place >= L - 1 && place < 2 * L - 1) return {place - (L - 1)};
  if (place < L - 1) {
    left = principal_order(table);
  } else {
    place -= 2 * L - 1;
    left = order_by_class(table, place / (L - 1));
    place %= L - 1;
  }
  left.resize(place + 1);
  return left;
}

}  // namespace tw
