#include "predict/class_shares.hpp"

#include <algorithm>  // for min

namespace tw {
namespace {

constexpr std::uint32_t kOneClass = 0x80000000u;

// What the nodes say, in one word each where they can: most leaves of a large tree have one class only.
struct NodeShares {
  std::vector<std::uint32_t> said;  // kOneClass | the class; or the node whose list of shares it is
  std::vector<double> share;        // as Tree::count_weight

  explicit NodeShares(const Tree& tree) : said(tree.size()), share(tree.count_weight.size()) {
    for (std::size_t i = 0; i < tree.size(); ++i) add(tree, i);
  }

  void add(const Tree& tree, std::size_t i) {
    double sum = 0;
    std::size_t present = 0, last = 0;
    const auto begin = static_cast<std::size_t>(tree.count_start[i]),
               end = static_cast<std::size_t>(tree.count_start[i + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      sum += tree.count_weight[k];
      if (tree.count_weight[k] != 0) ++present, last = k;
    }
    for (std::size_t k = begin; k < end; ++k) share[k] = sum > 0 ? tree.count_weight[k] / sum : 0;
    if (sum > 0 && present == 1)
      said[i] = kOneClass | tree.count_class[last];
    else  // a node that no training row reached answers as its parent
      said[i] = sum > 0 || i == 0 ? static_cast<std::uint32_t>(i) : said[tree.parent[i]];
  }
};

}  // namespace

void class_shares(const Tree& tree, std::span<const std::int32_t> nodes, double* shares, Workers& workers) {
  constexpr std::size_t kRowsPerTask = 8192;
  const NodeShares of_nodes(tree);
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  workers.run((nodes.size() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, int) {
    for (std::size_t row = task * kRowsPerTask, end = std::min(nodes.size(), row + kRowsPerTask); row < end; ++row) {
      const std::uint32_t said = of_nodes.said[nodes[row]];
      double* to = shares + row * n_classes;
      if (said & kOneClass) {
        to[said & ~kOneClass] = 1;
        continue;
      }
      for (auto k = tree.count_start[said]; k < tree.count_start[said + 1]; ++k)
        to[tree.count_class[k]] = of_nodes.share[k];
    }
  });
}

}  // namespace tw
