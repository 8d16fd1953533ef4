// Groupings of levels: each is what its number says, whatever way leads there, and the orders are those by definition.
#include <algorithm>  // for max, stable_sort
#include <numeric>    // for iota
#include <vector>     // for vector

#include "check.hpp"
#include "draws.hpp"
#include "grow/criterion/classes.hpp"
#include "grow/exact/finder/level_groupings.hpp"
#include "grow/exact/finder/level_scatter.hpp"

namespace tw::tests {
namespace {

LevelTable some_levels(Draws& draw) {
  LevelTable table;
  table.n_levels = 2 + draw.below(draw.coin() ? 9 : 30);
  table.n_classes = 3 + draw.below(6);
  for (std::uint32_t l = 0; l < table.n_levels; ++l) {
    for (std::size_t k = 0; k < table.n_classes; ++k) table.counts.push_back(draw.coin() ? draw.below(4) : 0);
    table.counts.back() += total_of(table.level(l)) == 0 && !draw.coin(50);  // now and then a level weighs nothing
    table.rank.push_back(l + 1), table.rows.push_back(1);
  }
  table.list_classes();
  return table;
}

// The most that gini gains by a grouping, where missing rows may go to either side.
double largest_gain(const LevelTable& table, const std::vector<std::int64_t>& missing,
                    std::vector<std::int64_t> totals) {
  std::vector<std::int64_t> left(totals.size()), right(totals.size());
  NarrowClassGini sides;
  double most = 0;
  for (const bool missing_left : {false, true})
    for_each_grouping(
        table,
        [&] {
          left.assign(totals.size(), 0), right = totals;
          for (std::size_t k = 0; missing_left && k < totals.size(); ++k) left[k] = missing[k], right[k] -= missing[k];
          sides.start(left, right);
        },
        [&](std::uint32_t l, bool to_left) {
          for (const auto& [k, w] : table.classes_of(l)) sides.move(k, to_left ? w : -w);
        },
        [&](std::uint32_t) { most = std::max(most, sides.score() - NarrowClassGini::phi(totals)); });
  return most;
}

}  // namespace

TEST(a_grouping_is_what_its_number_says) {
  Draws draw(41);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const LevelTable table = some_levels(draw);
    std::vector<bool> is_left;
    std::uint32_t n_seen = 0;
    for_each_grouping(
        table, [&] { is_left.assign(table.n_levels, false); },
        [&](std::uint32_t l, bool left) {
          CHECK(is_left[l] != left);
          is_left[l] = left;
        },
        [&](std::uint32_t number) {
          std::vector<bool> wanted(table.n_levels, false);
          for (const std::uint32_t l : levels_of_grouping(table, number)) wanted[l] = true;
          CHECK(is_left == wanted);
          ++n_seen;
        });
    const auto L = static_cast<std::uint32_t>(table.n_levels);
    const auto orders = static_cast<std::uint32_t>(1 + table.n_classes);
    CHECK(n_seen == (L <= kMaxExhaustiveLevels ? (1u << (L - 1)) - 1 : orders * (L - 1) + L));
  }
}

TEST(no_grouping_gains_more_than_the_scatter_of_the_levels_allows) {
  Draws draw(43);
  int told = 0;
  for (int repeat = 0; repeat < 400; ++repeat) {
    const LevelTable table = some_levels(draw);
    if (table.n_levels < LevelScatter::kFewestLevels) continue;
    std::vector<std::int64_t> missing(table.n_classes, 0);
    for (std::int64_t& w : missing) w = draw.coin() ? draw.below(4) : 0;
    std::vector<std::int64_t> totals = missing;
    double apart = NarrowClassGini::phi(missing);
    for (std::size_t l = 0; l < table.n_levels; ++l) {
      for (std::size_t k = 0; k < table.n_classes; ++k) totals[k] += table.level(l)[k];
      apart += NarrowClassGini::phi(table.level(l));
    }
    apart -= NarrowClassGini::phi(totals);
    const double gain = largest_gain(table, missing, totals);
    at_every_level([&] {
      LevelScatter scatter;
      CHECK(scatter.may_gain(table, missing, totals, gain));
      CHECK(!scatter.may_gain(table, missing, totals, apart * 1.01 + 1));
      told += !scatter.may_gain(table, missing, totals, gain + (apart - gain) / 2);
    });
  }
  CHECK(told > 100);  // it says more than that all levels apart gain most
}

TEST(levels_by_the_share_of_a_class_are_sorted_stably) {
  Draws draw(42);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const LevelTable table = some_levels(draw);
    for (std::size_t k = 0; k < table.n_classes; ++k) {
      std::vector<std::uint32_t> wanted(table.n_levels);
      std::iota(wanted.begin(), wanted.end(), 0u);
      std::stable_sort(wanted.begin(), wanted.end(), [&](auto x, auto y) {
        return table.level(x)[k] * total_of(table.level(y)) < table.level(y)[k] * total_of(table.level(x));
      });
      CHECK(order_by_class(table, k) == wanted);
    }
  }
}

}  // namespace tw::tests
