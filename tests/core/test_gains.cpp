// Gains of cuts in single precision, in lanes and along lists: beside the same by definition.
#include <algorithm>  // for stable_sort, max
#include <cmath>      // for abs

#include "check.hpp"
#include "draws.hpp"
#include "grow/lists/lane_gains.hpp"
#include "grow/lists/list_gains.hpp"
#include "grow/lists/word.hpp"

namespace tw::tests {
namespace {

// A node: some rows, each with a rank in every column, a number and a class.
struct Sample {
  std::uint32_t n, n_columns, min_leaf, n_classes;
  LaneCodes codes;
  std::vector<std::vector<std::uint32_t>> ranks;  // by column
  std::vector<std::uint32_t> rows, classes;
  std::vector<std::int32_t> numbers;

  Sample(Draws& draw, std::uint32_t most_rows, std::uint32_t most_classes)
      : n(2 + draw.below(most_rows - 1)), n_columns(1 + draw.below(70)), min_leaf(draw.coin(4) ? 1 + draw.below(4) : 1),
        n_classes(2 + draw.below(most_classes - 1)) {
    codes.start(n, std::vector<LaneCodes::Kind>(n_columns));
    const std::uint32_t n_ranks = draw.coin() ? std::min(n, 4u) : n;
    for (std::uint32_t k = 0; k < n_columns; ++k) {
      ranks.push_back(draw.numbers_below<std::uint32_t>(n_ranks, n));
      for (std::uint32_t i = 0; i < n; ++i) codes.set(i, k, ranks[k][i] + 1);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      rows.push_back(i);
      classes.push_back(draw.below(n_classes));
      numbers.push_back(static_cast<std::int32_t>(draw.below(1 << 24)) - (1 << 23));
    }
  }

  // The same ranks, of which the lowest are missing rows in some columns, and other columns levels.
  void change_kinds(Draws& draw) {
    std::vector<LaneCodes::Kind> kinds(n_columns);
    for (auto& kind : kinds) kind.ordered = !draw.coin(4), kind.has_missing = draw.coin();
    codes.start(n, kinds);
    ranks.resize(codes.n_lanes());
    for (std::uint32_t k = 0; k < n_columns; ++k)
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t rank = ranks[k][i] + !kinds[k].has_missing;
        codes.set(i, k, rank);
        CHECK(codes.rank(i, k) == rank);
        if (const std::size_t behind = codes.kind(k).behind) ranks[behind].push_back(rank > 0 ? rank : n + 1);
      }
    n_columns = static_cast<std::uint32_t>(codes.n_lanes());
  }
  bool is_scored(std::uint32_t lane) const { return lane >= codes.n_columns() || codes.kind(lane).ordered; }

  std::vector<std::uint32_t> totals() const {
    std::vector<std::uint32_t> count(n_classes, 0);
    for (const auto k : classes) ++count[k];
    return count;
  }
  std::vector<std::uint32_t> order(std::uint32_t k) const {
    std::vector<std::uint32_t> sorted = rows;
    std::stable_sort(sorted.begin(), sorted.end(), [&](auto x, auto y) { return ranks[k][x] < ranks[k][y]; });
    return sorted;
  }
  bool is_cut(std::uint32_t k, const std::vector<std::uint32_t>& sorted, std::uint32_t p) const {
    return ranks[k][sorted[p]] != ranks[k][sorted[p + 1]] && p + 1 >= min_leaf && n - p - 1 >= min_leaf;
  }
  double number_gain(const std::vector<std::uint32_t>& sorted, std::uint32_t p) const {
    double whole = 0, left = 0;
    for (const auto y : numbers) whole += y;
    for (std::uint32_t i = 0; i <= p; ++i) left += numbers[sorted[i]];
    const double d = left - whole * (p + 1) / n;
    return d * d * (1.0 / (p + 1) + 1.0 / (n - p - 1));
  }
  double class_gain(const std::vector<std::uint32_t>& sorted, std::uint32_t p) const {
    std::vector<double> left(n_classes, 0), right(n_classes, 0);
    for (std::uint32_t i = 0; i < n; ++i) ++(i <= p ? left : right)[classes[sorted[i]]];
    double l = 0, r = 0;
    for (std::uint32_t k = 0; k < n_classes; ++k) l += left[k] * left[k], r += right[k] * right[k];
    return l / (p + 1) + r / (n - p - 1);
  }
  std::vector<std::uint32_t> list(std::uint32_t k) const {
    std::vector<std::uint32_t> words;
    for (const auto row : order(k)) words.push_back(make_word<std::uint32_t>(ranks[k][row] + 1, row));
    words.resize(n + 32);
    return words;
  }
};

// The gains and the order of every column as wanted.
template <class Gain>
void compare_lanes(const Sample& sample, LaneGains& found, double slack, Gain gain) {
  for (std::uint32_t k = 0; k < sample.n_columns; ++k) {
    const auto sorted = sample.order(k);
    double most = -1;
    for (std::uint32_t p = 0; p < sample.n; ++p) CHECK(found.slot(p, k) == sorted[p]);
    for (std::uint32_t p = 0; p + 1 < sample.n; ++p) {
      const double wanted = sample.is_cut(k, sorted, p) ? gain(sorted, p) : -1;
      CHECK(std::abs(found.gain(p, k) - wanted) <= 1e-6 * std::abs(wanted) + slack);
      most = std::max(most, double(found.gain(p, k)));
    }
    CHECK(found.most(k) == static_cast<float>(sample.is_scored(k) ? most : -1));
  }
}

}  // namespace

TEST(gains_of_numbers_in_lanes_are_those_by_definition) {
  Draws draw(31);
  for (int repeat = 0; repeat < 300; ++repeat) {
    Sample sample(draw, kLaneRows, 2);
    if (draw.coin()) sample.change_kinds(draw);
    std::int64_t whole = 0;
    for (const auto y : sample.numbers) whole += y;
    for (auto& y : sample.numbers) y -= static_cast<std::int32_t>(whole / sample.n);
    alignas(64) std::int32_t numbers[kLaneRows] = {};
    std::copy(sample.numbers.begin(), sample.numbers.end(), numbers);
    at_every_level([&] {
      LaneGains found;
      found.start(sample.n_columns, sample.codes.stride());
      find_number_gains({sample.codes, sample.rows, sample.min_leaf}, numbers, found);
      compare_lanes(sample, found, 1e11,
                    [&](const auto& sorted, std::uint32_t p) { return sample.number_gain(sorted, p); });
    });
  }
}

TEST(gains_of_classes_in_lanes_are_those_by_definition) {
  Draws draw(32);
  for (int repeat = 0; repeat < 300; ++repeat) {
    Sample sample(draw, kLaneRows, 12);
    if (draw.coin()) sample.change_kinds(draw);
    const auto totals = sample.totals();
    if (*std::max_element(totals.begin(), totals.end()) == sample.n) continue;  // pure: never asked
    at_every_level([&] {
      LaneGains found;
      found.start(sample.n_columns, sample.codes.stride());
      find_class_gains({sample.codes, sample.rows, sample.min_leaf}, sample.classes.data(), totals, found);
      compare_lanes(sample, found, 1e-4,
                    [&](const auto& sorted, std::uint32_t p) { return sample.class_gain(sorted, p); });
    });
  }
}

TEST(a_column_with_the_best_cut_is_never_below_the_least_gain) {
  Draws draw(33);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Sample sample(draw, 400, 9);
    std::vector<std::int64_t> values(sample.numbers.begin(), sample.numbers.end());
    const std::int64_t unit = 1ll << draw.below(28);
    std::int64_t sum = 0;
    for (auto& y : values) y = y * unit + draw.below(unit), sum += y;
    const auto totals = sample.totals();
    const std::vector<std::int64_t> wide(totals.begin(), totals.end());
    const std::vector<std::uint16_t> class_of(sample.classes.begin(), sample.classes.end());
    at_every_level([&] {
      NumberGains numbers;
      ClassGains classes;
      numbers.start(sample.list(0).data(), sample.n, values.data(), sum, sample.min_leaf);
      classes.start(wide, sample.n, sample.min_leaf);
      std::vector<double> number_most, class_most, by_numbers, by_classes;
      for (std::uint32_t k = 0; k < sample.n_columns; ++k) {
        const auto list = sample.list(k);
        const auto sorted = sample.order(k);
        number_most.push_back(numbers.most(list.data()));
        class_most.push_back(classes.most(list.data(), sample.list(0).data(), class_of.data())[0]);
        by_numbers.push_back(-1), by_classes.push_back(-1);
        for (std::uint32_t p = 0; p + 1 < sample.n; ++p) {
          if (!sample.is_cut(k, sorted, p)) continue;
          by_numbers[k] = std::max(by_numbers[k], sample.number_gain(sorted, p));
          by_classes[k] = std::max(by_classes[k], sample.class_gain(sorted, p));
        }
      }
      const auto largest = [](const std::vector<double>& of) { return *std::max_element(of.begin(), of.end()); };
      const double most_number = largest(by_numbers), most_class = largest(by_classes);
      const float least_number = numbers.least(static_cast<float>(largest(number_most)));
      const double least_class = classes.least(largest(class_most));
      for (std::uint32_t k = 0; k < sample.n_columns; ++k) {
        if (by_numbers[k] >= 0 && by_numbers[k] == most_number) CHECK(number_most[k] >= least_number);
        if (by_classes[k] >= 0 && by_classes[k] == most_class) CHECK(class_most[k] >= least_class);
        CHECK((by_classes[k] >= 0) == (class_most[k] > 0));
      }
    });
  }
}

}  // namespace tw::tests
