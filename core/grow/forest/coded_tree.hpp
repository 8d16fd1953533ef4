// CodedTree: a stored tree of a forest with what rows need to walk it by their cells: codes, or numbers (CellRows).
#pragma once

#include <algorithm>  // for lower_bound
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "ensemble/small_tree.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/random_cuts/cell_rows.hpp"

namespace tw {

struct CodedTree {
  const SmallTree& tree;
  // inner nodes: the last code that takes branch 0 (not for numbers); by levels: which such node it is
  std::vector<std::uint32_t> cut;
  std::vector<std::uint32_t> second;  // every node: its second child; at a leaf: which leaf it is
  std::vector<std::uint32_t> inner;   // every inner node's place among the inner ones
};

// The tree must outlive it. Cells are those of a table with the same columns.
CodedTree code_tree(const SmallTree& tree, const ForestCodes& codes);
CodedTree code_tree(const SmallTree& tree, const CellRows<float>&);
CodedTree code_tree(const SmallTree& tree, const CellRows<double>&);

inline bool is_known(std::uint16_t code) { return code != 0; }
inline bool is_known(double number) { return number == number; }
inline bool takes_second(const CodedTree& grown, std::uint32_t inner, std::uint16_t code) {
  return code > grown.cut[inner];
}
inline bool takes_second(const CodedTree& grown, std::uint32_t inner, double number) {
  return number > grown.tree.threshold[inner];
}

// Calls visit(node, child) for every node on the way of a row with these cells, and gives the leaf's number.
template <class Cells, class Visit>
std::uint32_t walk(const CodedTree& grown, const Cells& cells, const typename Cells::Cell* row, Visit visit) {
  const SmallTree& tree = grown.tree;
  std::uint32_t node = 0;
  while (tree.test[node] & 0x7f) {
    const std::uint32_t i = grown.inner[node];
    const auto column = static_cast<std::uint32_t>(tree.column[i]);
    const typename Cells::Cell cell = row[column];
    bool second = tree.test[node] & kMissingTakesSecond;
    if ((tree.test[node] & 0x7f) == 1) {
      if (is_known(cell)) second = takes_second(grown, i, cell);
    } else if (is_known(cell)) {
      const std::uint32_t level = cells.columns[column].level_of(static_cast<std::uint32_t>(cell));
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
