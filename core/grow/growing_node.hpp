// GrowingNode: a node while the tree grows. Finished nodes become a stored Tree in preorder (assemble_tree.cpp).
#pragma once

#include <cstdint>  // for int32_t
#include <vector>   // for vector

#include "grow/candidate.hpp"
#include "tree/tree.hpp"

namespace tw {

struct GrowingNode {
  // the test, once there is one
  CutKind kind = CutKind::none;
  std::int32_t column = -1;
  std::int32_t missing_branch = -1;
  double threshold = 0;
  std::uint32_t level_begin = 0, n_levels = 0;            // slice of Arena::levels
  std::uint32_t surrogate_begin = 0, n_surrogates = 0;    // slice of Arena::surrogates
  std::uint32_t competitor_begin = 0, n_competitors = 0;  // slice of Arena::competitors
  double improvement = 0;                                 // gain of the test on the rows that it can send itself
  std::uint32_t first_child = 0, n_children = 0;
  std::int32_t subtree = -1;  // the subtree continues at the root of this arena

  // the summary
  std::uint32_t rows = 0;
  std::uint32_t depth = 0;
  bool pure = false;
  std::int64_t a = 0, b = 0, low = 0, high = 0;
  std::uint32_t count_begin = 0, n_counts = 0;  // slice of Arena::counts
  double impurity = 0;
  double spread = 0;  // numeric targets: weight × impurity, in the units of the score (absolute error: of levels)
  double value = 0;   // regression: what the node predicts
};

struct LevelBranch {
  std::uint32_t code;
  std::uint16_t branch;
};
// The best split of a column that another column beat.
struct Competitor {
  std::int32_t column = -1;
  double threshold = 0;  // NaN: by level
  double improvement = 0;
  std::vector<LevelBranch> levels;
};
struct ClassWeight {
  std::uint32_t class_index;
  std::int64_t weight;
};

// Nodes that were grown together, by one thread. Index 0 is the root.
struct Arena {
  std::vector<GrowingNode> nodes;
  std::vector<LevelBranch> levels;
  std::vector<ClassWeight> counts;
  std::vector<Surrogate> surrogates;
  std::vector<Competitor> competitors;
};

}  // namespace tw
