// The loops that extra trees are grown by.
#include <algorithm>  // for equal, max, min
#include <cmath>      // for abs, isnan
#include <limits>     // for numeric_limits
#include <numeric>    // for iota
#include <vector>     // for vector

#include "base/counted_random.hpp"
#include "check.hpp"
#include "draws.hpp"
#include "grow/forest/random_cuts/lane_loops.hpp"

namespace tw::tests {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A table of numbers by rows, with ties and holes, and some of its rows.
template <class Number>
struct SomeRows {
  std::vector<Number> cells;
  std::vector<std::uint32_t> rows;
  LaneRows<Number> lanes;

  explicit SomeRows(Draws& draw) {
    const std::uint32_t n_rows = draw.size_up_to(200), n_groups = 1 + draw.below(kMostGroups), n = draw.size_up_to(150);
    cells.resize(std::size_t{n_rows} * n_groups * kLanes);
    const bool few = draw.coin(), holes = draw.coin();
    for (Number& x : cells) {
      x = static_cast<Number>(few ? draw.below(5) : draw.between(-3, 3));
      if (holes && draw.coin(8)) x = std::numeric_limits<Number>::quiet_NaN();
    }
    rows = draw.numbers_below<std::uint32_t>(n_rows, n);
    lanes = {cells.data(), n_groups * kLanes, rows.data(), n, n_groups};
  }
  std::uint32_t n_lanes() const { return lanes.n_groups * kLanes; }
};

template <class Number>
LaneRanges<Number> slow_ranges(const SomeRows<Number>& some) {
  LaneRanges<Number> wanted;
  for (std::uint32_t k = 0; k < some.n_lanes(); ++k) {
    wanted.low[k] = static_cast<Number>(kInfinity), wanted.high[k] = static_cast<Number>(-kInfinity);
    for (std::uint32_t i = 0; i < some.lanes.n; ++i) {
      const Number x = some.lanes.at(i)[k];
      if (x == x) wanted.low[k] = std::min(wanted.low[k], x), wanted.high[k] = std::max(wanted.high[k], x);
    }
  }
  return wanted;
}

template <class Number>
void compare_cuts(Draws& draw, const SomeRows<Number>& some, const LaneRanges<Number>& ranges) {
  std::vector<std::uint32_t> columns(kMostLanes);
  std::iota(columns.begin(), columns.end(), draw.below(50));
  const std::uint64_t stream = draw.word();
  at_every_level([&] {
    LaneCuts<Number> cuts;
    draw_cuts(ranges, columns.data(), some.lanes.n_groups, stream, 100, cuts);
    for (std::uint32_t k = 0; k < some.n_lanes(); ++k) {
      if (!(ranges.low[k] < ranges.high[k])) continue;
      CHECK(cuts.number[k] == number_between(ranges.low[k], ranges.high[k], drawn(stream, 100 + columns[k])));
      CHECK(cuts.number[k] >= ranges.low[k] && cuts.number[k] < ranges.high[k]);
      for (std::uint32_t i = 0; i < some.lanes.n; ++i)
        CHECK((some.lanes.at(i)[k] <= cuts.last[k]) == (some.lanes.at(i)[k] <= cuts.number[k]));
    }
  });
}

template <class Number>
void compare_sums(Draws& draw, const SomeRows<Number>& some) {
  const std::uint32_t n = some.lanes.n, n_classes = 1 + draw.below(9);
  Number last[kMostLanes];
  for (Number& x : last) x = static_cast<Number>(draw.between(-3, 4));
  std::vector<std::int32_t> weights(n, 1), values(n);
  const auto classes = draw.numbers_below<std::uint16_t>(n_classes, n);
  const bool weighted = draw.coin(), missing_left = draw.coin();
  for (std::uint32_t i = 0; i < n; ++i) {
    if (weighted) weights[i] = static_cast<std::int32_t>(1 + draw.below(1000));
    values[i] = static_cast<std::int32_t>(draw.below(1 << 20)) - (1 << 19);
  }
  const std::int32_t* given = weighted ? weights.data() : nullptr;
  LaneSums wanted{};
  std::vector<std::int32_t> by_class(n_classes * kMostLanes, 0);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < some.n_lanes(); ++k) {
      const Number x = some.lanes.at(i)[k];
      if (!(std::isnan(x) ? missing_left : x <= last[k])) continue;
      ++wanted.rows[k], wanted.a[k] += weights[i], wanted.b[k] += values[i];
      by_class[classes[i] * kMostLanes + k] += weights[i];
    }
  at_every_level([&] {
    LaneSums got{};
    sums_of_lanes(some.lanes, last, missing_left, given, values.data(), got);
    CHECK(std::equal(wanted.a, wanted.a + some.n_lanes(), got.a) &&
          std::equal(wanted.b, wanted.b + some.n_lanes(), got.b));
    CHECK(std::equal(wanted.rows, wanted.rows + some.n_lanes(), got.rows));
    std::vector<std::int32_t> counts(n_classes * kMostLanes, 0);
    std::int32_t rows[kMostLanes] = {};
    counts_of_lanes(some.lanes, last, missing_left, classes.data(), given, n_classes, counts.data(), rows);
    CHECK(counts == by_class && std::equal(wanted.rows, wanted.rows + some.n_lanes(), rows));
  });
}

template <class Number>
void compare_missing(const SomeRows<Number>& some) {
  Number missing[kMostLanes];
  find_missing(some.lanes, missing);
  for (std::uint32_t k = 0; k < some.n_lanes(); ++k) {
    bool any = false;
    for (std::uint32_t i = 0; i < some.lanes.n; ++i) any |= std::isnan(some.lanes.at(i)[k]);
    CHECK(std::isnan(missing[k]) == any);
  }
}

template <class Number>
void compare_lanes(std::uint64_t seed) {
  Draws draw(seed);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const SomeRows<Number> some(draw);
    const LaneRanges<Number> wanted = slow_ranges(some);
    at_every_level([&] {
      LaneRanges<Number> got;
      ranges_of(some.lanes, got);
      CHECK(std::equal(wanted.low, wanted.low + some.n_lanes(), got.low));
      CHECK(std::equal(wanted.high, wanted.high + some.n_lanes(), got.high));
      compare_missing(some);
    });
    compare_cuts(draw, some, wanted);
    compare_sums(draw, some);
  }
}

}  // namespace

TEST(floats_in_lanes_have_their_ranges_cuts_and_sums) { compare_lanes<float>(21); }
TEST(doubles_in_lanes_have_their_ranges_cuts_and_sums) { compare_lanes<double>(22); }

TEST(drawn_columns_are_put_side_by_side) {
  Draws draw(23);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const SomeRows<float> some(draw);
    const std::uint32_t count = 1 + draw.below(some.n_lanes());
    const auto of = draw.numbers_below<std::uint32_t>(some.n_lanes(), count);
    std::vector<float> picked(some.lanes.n * some.n_lanes(), -1);
    pick_columns(some.lanes, of.data(), count, picked.data());
    for (std::uint32_t i = 0; i < some.lanes.n; ++i)
      for (std::uint32_t k = 0; k < some.n_lanes(); ++k) {
        const float wanted = k < count ? some.lanes.at(i)[of[k]] : 0, got = picked[i * some.n_lanes() + k];
        CHECK(got == wanted || (got != got && wanted != wanted));
      }
  }
}

TEST(scores_of_lanes_are_bounded_from_both_sides) {
  Draws draw(24);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const std::uint32_t whole = 2 + draw.below(1 << 20), n_groups = 1 + draw.below(kMostGroups);
    const auto slack = static_cast<float>(draw.below(50));
    LaneSums sums{};
    std::uint32_t open[kMostLanes];
    for (std::uint32_t k = 0; k < kMostLanes; ++k) {
      sums.a[k] = static_cast<std::int32_t>(draw.below(whole + 1));
      sums.b[k] = static_cast<std::int32_t>(draw.below(1 << 24)) - (1 << 23);
      open[k] = !draw.coin(5);
    }
    at_every_level([&] {
      LaneScores scores;
      float largest = -1;
      const float got = score_lanes(sums, open, n_groups, static_cast<float>(whole), slack, scores);
      for (std::uint32_t k = 0; k < n_groups * kLanes; ++k) {
        largest = std::max(largest, scores.least[k]);
        const double a = sums.a[k], product = a * (whole - a), b = std::abs(sums.b[k]);
        if (!open[k] || product <= 0) {
          CHECK(scores.most[k] == -1 && scores.least[k] == -1);
          continue;
        }
        const double most = (b + slack) * (b + slack) / product, near = std::max(0.0, b - slack);
        CHECK(std::abs(scores.most[k] - most) <= 1e-6 * most);
        CHECK(std::abs(scores.least[k] - near * near / product) <= 1e-6 * most);
      }
      CHECK(got == largest);
    });
  }
}

}  // namespace tw::tests
