#include "forest/grown_tree.hpp"

namespace tw {

void link_nodes(GrownTree& grown) {
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

}  // namespace tw
