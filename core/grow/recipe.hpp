// The choices that make an algorithm, as plain data. A Recipe names one of each; no algorithm is named anywhere else.
#pragma once

#include <cstdint>  // for int64_t
#include <limits>   // for numeric_limits

namespace tw {

enum class CriterionName : std::uint8_t {
  gini,
  entropy,
  error,
  twoing,
  hellinger,  // classes
  squared_error,
  absolute_error,
  poisson  // numbers
};

// Where rows without a value go. The answer is stored in each node.
enum class MissingPolicy : std::uint8_t {
  learn,   // both sides are tried at every cut, and "known or not" as a cut of its own
  larger,  // the search sees known rows only; the others follow the branch with more weight
  branch   // a branch of their own where they occur
};

struct StopRules {
  std::int64_t max_depth = std::numeric_limits<std::int64_t>::max();
  std::int64_t min_samples_split = 2;
  std::int64_t min_samples_leaf = 1;
  std::int64_t max_leaves = std::numeric_limits<std::int64_t>::max();
  double min_impurity_decrease = 0;
  double min_weight_leaf = 0;  // no branch may have less weight
};

struct Recipe {
  CriterionName criterion = CriterionName::gini;
  MissingPolicy missing = MissingPolicy::learn;
  StopRules stop;
  std::uint32_t block_rows = 0;  // nodes of at most this many rows are grown from sorted lists; 0 = choose
};

}  // namespace tw
