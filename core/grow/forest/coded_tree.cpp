#include "grow/forest/coded_tree.hpp"

#include <algorithm>  // for upper_bound

#include "tree/tree.hpp"

namespace tw {
namespace {

// Fills `second` and `inner` from the tests.
void link_nodes(CodedTree& grown) {
  const auto& test = grown.tree.test;
  grown.second.assign(test.size(), 0);
  grown.inner.assign(test.size(), 0);
  std::vector<std::uint32_t> waiting;  // inner nodes whose first branch is being passed
  std::uint32_t n_leaves = 0, n_inner = 0;
  for (std::uint32_t node = 0; node < test.size(); ++node) {
    if (test[node]) {
      grown.inner[node] = n_inner++;
      waiting.push_back(node);
      continue;
    }
    grown.second[node] = n_leaves++;
    if (waiting.empty()) break;
    grown.second[waiting.back()] = node + 1;  // the leaf ends the first branch of the nearest node that waits
    waiting.pop_back();
  }
}

// The same with the cuts of thresholds, where they are asked for.
template <class CutOf>
CodedTree linked(const SmallTree& tree, CutOf cut_of) {
  CodedTree grown{tree, {}, {}, {}};
  std::uint32_t n_by_levels = 0;
  std::size_t inner = 0;
  for (const std::uint8_t test : tree.test) {
    if (test == 0) continue;
    const bool by_levels = (test & 0x7f) == static_cast<std::uint8_t>(TestKind::levels);
    grown.cut.push_back(by_levels ? n_by_levels++ : cut_of(inner));
    ++inner;
  }
  link_nodes(grown);
  return grown;
}

}  // namespace

CodedTree code_tree(const SmallTree& tree, const ForestCodes& codes) {
  return linked(tree, [&](std::size_t inner) {
    const std::span<const double> highest = codes.columns[static_cast<std::size_t>(tree.column[inner])].highest;
    return static_cast<std::uint32_t>(std::upper_bound(highest.begin(), highest.end(), tree.threshold[inner]) -
                                      highest.begin());
  });
}

CodedTree code_tree(const SmallTree& tree, const CellRows<float>&) {
  return linked(tree, [](std::size_t) { return 0u; });
}
CodedTree code_tree(const SmallTree& tree, const CellRows<double>&) {
  return linked(tree, [](std::size_t) { return 0u; });
}

}  // namespace tw
