// CodedTree: a stored tree of a forest with what rows need to walk it by their codes.
#pragma once

#include <algorithm>  // for lower_bound
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "ensemble/small_tree.hpp"
#include "grow/forest/forest_codes.hpp"

namespace tw {

struct CodedTree {
  const SmallTree& tree;
  std::vector<std::uint32_t> cut;  // inner nodes: the last code that takes branch 0; by levels: which such node it is
  std::vector<std::uint32_t> second;  // every node: its second child; at a leaf: which leaf it is
  std::vector<std::uint32_t> inner;   // every inner node's place among the inner ones
};

// The tree must outlive it. Codes are those of a table with the same columns.
CodedTree code_tree(const SmallTree& tree, const ForestCodes& codes);

// Calls visit(node, child) for every node on the way of a row with these codes, and gives the leaf's number.
template <class Visit>
std::uint32_t walk(const CodedTree& grown, const ForestCodes& codes, const std::uint16_t* row, Visit visit) {
  const SmallTree& tree = grown.tree;
  std::uint32_t node = 0;
  while (tree.test[node] & 0x7f) {
    const std::uint32_t i = grown.inner[node];
    const auto column = static_cast<std::uint32_t>(tree.column[i]);
    const std::uint32_t code = row[column];
    bool second = tree.test[node] & kMissingTakesSecond;
    if ((tree.test[node] & 0x7f) == 1) {
      if (code) second = code > grown.cut[i];
    } else if (code) {
      const std::uint32_t level = codes.columns[column].level_of(code);
      const std::uint32_t which = grown.cut[i];
      const auto first = tree.level.begin() + tree.level_start[which],
                 last = tree.level.begin() + tree.level_start[which + 1];
      const auto found = std::lower_bound(first, last, level);
      if (found != last && *found == level) second = tree.level_branch[found - tree.level.begin()];
    }
    const std::uint32_t child = second ? grown.second[node] : node + 1;
    visit(node, child);
    node = child;
  }
  return grown.second[node];
}

}  // namespace tw
