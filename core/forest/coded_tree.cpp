#include "forest/coded_tree.hpp"

#include <algorithm>  // for upper_bound

#include "tree/tree.hpp"

namespace tw {

GrownTree code_tree(const SmallTree& tree, const ForestCodes& codes) {
  GrownTree grown;
  grown.tree = tree;
  std::uint32_t n_by_levels = 0;
  std::size_t inner = 0;
  for (const std::uint8_t test : tree.test) {
    if (test == 0) continue;
    if ((test & 0x7f) == static_cast<std::uint8_t>(TestKind::levels)) {
      grown.cut.push_back(n_by_levels++);
    } else {
      const std::vector<double>& highest = codes.columns[static_cast<std::size_t>(tree.column[inner])].highest;
      grown.cut.push_back(static_cast<std::uint32_t>(
          std::upper_bound(highest.begin(), highest.end(), tree.threshold[inner]) - highest.begin()));
    }
    ++inner;
  }
  link_nodes(grown);
  return grown;
}

}  // namespace tw
