// The nodes of a tree while it is boosted, in the order in which they were made.
#pragma once

#include <cstdint>  // for int64_t, int32_t
#include <limits>   // for numeric_limits
#include <vector>   // for vector

#include "grow/boost/words.hpp"

namespace tw {

// A test and how good it is.
struct BoostSplit {
  std::int32_t column = -1;
  std::int64_t rank = 0;  // its score on the grid by which splits are compared
  double score = 0;
  std::uint32_t cut = 0;        // the last place on the left in the order of the bins or levels, from 0
  std::uint32_t last_code = 0;  // ordered columns: the code at that place
  bool missing_second = false;  // rows without a value take branch 1
  bool saw_missing = false;
  GradientSum left;
  std::vector<std::uint32_t> levels;  // nominal columns: those that the node has, in the order of their ratio

  bool found() const { return column >= 0; }
};

struct BoostedNode {
  std::uint32_t begin = 0, end = 0;  // its rows, in the buffer of this number
  int buffer = 0;
  std::int64_t n_rows = 0;  // with those of the peers
  GradientSum sum;
  std::int32_t parent = -1, child[2] = {-1, -1};
  std::int32_t depth = 0;
  std::uint64_t key = 0;  // of its random numbers, by its place in the tree
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  std::vector<std::uint32_t> groups;  // of columns that may still meet below it
  double undivided = 0;               // the score of the node as it is
  BoostSplit split;
  std::vector<std::uint8_t> side;  // by code: the branch, where a test is by levels or codes are wide
  double value = 0;                // of a leaf, shrunk

  bool is_leaf() const { return child[0] < 0; }
  std::uint32_t size() const { return end - begin; }
  std::uint32_t branch_of(std::uint32_t code) const {
    if (!side.empty()) return side[code];
    return code ? code > split.last_code : split.missing_second;
  }
};

}  // namespace tw
