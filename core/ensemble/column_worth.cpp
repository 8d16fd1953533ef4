#include "ensemble/column_worth.hpp"

#include "ensemble/small_tree.hpp"

namespace tw {
namespace {

// The weight of every node in preorder: a leaf's own, an inner node's is that of its two children.
std::vector<double> node_weights(const SmallTree& tree) {
  const auto second = second_children(tree.test);
  std::vector<double> weight(tree.size());
  std::size_t leaf = tree.n_leaves();
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (!is_leaf(tree.test[i])) {
      weight[i] = weight[i + 1] + weight[second[i]];
      continue;
    }
    --leaf;
    weight[i] = tree.weight.empty() ? tree.n_rows[leaf] : tree.weight[leaf];
  }
  return weight;
}

}  // namespace

std::vector<double> column_worth(const Ensemble& ensemble, bool each_tree_counts_same) {
  std::vector<double> worth(static_cast<std::size_t>(ensemble.n_columns), 0), of_tree(worth);
  for (const SmallTree& tree : ensemble.trees) {
    if (tree.column.empty()) continue;
    const std::vector<double> weight = node_weights(tree);
    std::size_t inner = 0;
    double sum = 0;
    for (const std::int32_t column : tree.column) of_tree[column] = 0;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (is_leaf(tree.test[i])) continue;
      const double share = weight[0] > 0 ? weight[i] / weight[0] * tree.gain[inner] : 0;
      of_tree[tree.column[inner++]] += share;
      sum += share;
    }
    const double scale = !each_tree_counts_same ? 1 : sum > 0 ? 1 / sum : 0;
    for (const std::int32_t column : tree.column) {
      worth[column] += scale * of_tree[column];
      of_tree[column] = 0;  // a column that is asked for twice is counted once
    }
  }
  return worth;
}

}  // namespace tw
