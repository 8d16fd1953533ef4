// BoostRules: the numbers that say how trees are boosted. Names are those of the estimators' parameters.
#pragma once

#include <cstdint>  // for int8_t, int64_t
#include <limits>   // for numeric_limits
#include <string>   // for string
#include <vector>   // for vector

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

}  // namespace tw
