// What splitters hand over: Found, the best split of one column, and Split, the one that a node gets.
#pragma once

#include <cstdint>  // for uint32_t
#include <limits>   // for numeric_limits
#include <vector>   // for vector

#include "grow/growing_node.hpp"
#include "tree/tree.hpp"

namespace tw {

constexpr std::uint16_t kStays = 0xffff;    // in a route: the row ends at this node
constexpr std::uint16_t kSpreads = 0xfffe;  // in a route: the row goes down every branch that has known weight

// One column's best split. Which of the numbers an algorithm fills in, and what `score` means, is its own affair.
struct Found {
  bool usable = false;    // may be chosen
  bool constant = false;  // fewer than two known values here, and so below: the column is not asked again
  double gain = 0, score = 0, statistic = 0, degrees = 0, log_p = 0, log_p_adjusted = 0;
  std::uint32_t n_branches = 2;
  std::uint32_t cut = 0;            // ordered columns: codes up to this one take branch 0 …
  std::uint32_t next = 0;           // … and this is the next code that occurs
  std::vector<LevelBranch> levels;  // nominal columns: ascending codes and their branches
  std::int32_t missing = kMissingStops;
};

// The test of a node, with what the stored tree needs of it.
struct Split {
  TestKind kind = TestKind::threshold;
  std::int32_t column = -1;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::uint32_t cut = 0;
  std::vector<LevelBranch> levels;  // the branch of every code that occurs, for tests by level and by intervals
  std::vector<double> uppers;       // intervals: the upper bound of every branch but the last one of known values
  std::uint32_t n_branches = 2;
  std::int32_t missing = kMissingStops;  // a branch, kMissingStops or kMissingSpreads
  std::vector<Term> terms;               // hyperplane
  std::vector<Surrogate> surrogates;
  std::vector<std::uint16_t> route;  // optional: the branch of every row of the node, where codes alone do not tell
  bool forget_column = false;        // it is not asked again below
};

}  // namespace tw
