// BoostRules: the numbers that say how trees are boosted. Names are those of the estimators' parameters.
#pragma once

#include <algorithm>  // for max
#include <cmath>      // for ceil
#include <cstdint>    // for int8_t, int64_t
#include <limits>     // for numeric_limits
#include <string>     // for string
#include <vector>     // for vector

#include "grow/boost/gradient_words.hpp"

namespace tw {

struct BoostRules {
  std::string loss = "squared_error";
  std::int64_t n_estimators = 100;
  double learning_rate = 0.1;
  double alpha = 0.9;  // which quantile; huber: the share of residuals that count as small

  std::int64_t max_leaf_nodes = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_depth = std::numeric_limits<std::int64_t>::max();
  bool level_wise = false;
  std::int64_t min_samples_leaf = 20;
  double min_hessian = 1e-3;
  double l2_regularization = 0;
  double min_gain = 0;

  double subsample = 1;
  std::uint32_t columns_per_tree = 0, columns_per_node = 0;  // 0: all
  std::uint64_t seed = 0;

  std::uint32_t max_bins = 255;  // 0: every value is a bin of its own

  // Nominal columns. Levels are ordered by G / (H + level_smoothing). Sorted like that, many levels look good even on
  // noise, by about the gain of one row of noise for each level beyond two; level_charge is how much of that is taken
  // off. A wide column is searched at a node only where it has level_support rows a level; by level_codes.hpp,
  // everywhere.
  double level_smoothing = 1, level_charge = 1, level_support = 64;

  std::vector<std::int8_t> monotone;                // per column: −1, 0 or 1; empty: none
  std::vector<std::vector<std::int32_t>> together;  // columns that may meet on a path; empty: all

  // Early stopping: rounds without an improvement of more than `tolerance` (of the loss) before it ends. 0: never.
  std::int64_t patience = 0;
  double tolerance = 0;
};

// The rules of one tree in units of its fixed point.

struct FixedRules {
  const BoostRules* given = nullptr;
  Units units;
  double l2 = 0;                     // in units of the hessian
  double least_hessian = 1;          // of a side
  double grid = 1, per_grid = 1;     // steps of the comparison of scores, per unit of the score, and what one is
  double extra = 0;                  // what a score must have more than the undivided node
  double smoothing = 0;              // of the order of levels
  double charge = 0;                 // for each level of a wide column
  std::int64_t largest_hessian = 1;  // of a row
  bool bounded = false;              // there are monotone columns

  double value_unit() const { return units.gradient / units.hessian; }
  double score_unit() const { return units.gradient * units.gradient / units.hessian; }
  double newton(const GradientSum& sum) const {
    return -static_cast<double>(sum.gradient) / (static_cast<double>(sum.hessian) + l2);
  }
};

inline FixedRules fix_rules(const BoostRules& rules, const Units& units, const WordTotals& totals) {
  FixedRules fixed;
  fixed.given = &rules;
  fixed.units = units;
  fixed.l2 = rules.l2_regularization / units.hessian;
  // So many rows have at least so much; where all have the same, rows need not be counted.
  const double least_of_rows = static_cast<double>(rules.min_samples_leaf) * static_cast<double>(totals.least_hessian);
  fixed.least_hessian = std::max({1.0, std::ceil(rules.min_hessian / units.hessian), least_of_rows});
  fixed.grid = units.grid, fixed.per_grid = 1 / units.grid;  // a power of two
  fixed.extra = 2 * rules.min_gain / fixed.score_unit();
  fixed.smoothing = rules.level_smoothing / units.hessian;
  fixed.charge = rules.level_charge * units.noise / fixed.score_unit();
  fixed.largest_hessian = totals.largest_hessian;
  for (const auto way : rules.monotone) fixed.bounded = fixed.bounded || way != 0;
  return fixed;
}

}  // namespace tw
