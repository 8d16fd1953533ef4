#include "predict/class_shares.hpp"

#include <algorithm>  // for min

namespace tw {

void class_shares(const Tree& tree, std::span<const std::int32_t> nodes, double* shares, Workers& workers) {
  constexpr std::size_t kRowsPerTask = 8192;
  std::vector<double> share(tree.count_weight.size());
  std::vector<std::int32_t> source(tree.size());  // a node that no training row reached answers as its parent
  for (std::size_t i = 0; i < tree.size(); ++i) {
    double sum = 0;
    for (auto k = tree.count_start[i]; k < tree.count_start[i + 1]; ++k) sum += tree.count_weight[k];
    for (auto k = tree.count_start[i]; k < tree.count_start[i + 1]; ++k)
      share[k] = sum > 0 ? tree.count_weight[k] / sum : 0;
    source[i] = sum > 0 || i == 0 ? static_cast<std::int32_t>(i) : source[tree.parent[i]];
  }
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  workers.run((nodes.size() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, int) {
    for (std::size_t row = task * kRowsPerTask, end = std::min(nodes.size(), row + kRowsPerTask); row < end; ++row)
      for (auto k = tree.count_start[source[nodes[row]]]; k < tree.count_start[source[nodes[row]] + 1]; ++k)
        shares[row * n_classes + tree.count_class[k]] = share[k];
  });
}

}  // namespace tw
