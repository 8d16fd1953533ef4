// Minimal cost-complexity pruning (Breiman et al. 1984, chapter 3): the sequence of smaller and smaller trees, each
// the best one for a range of the price alpha of a leaf.
#pragma once

#include <vector>  // for vector

#include "tree/tree.hpp"

namespace tw {

// risk: each node's cost as a leaf (share of training weight × impurity or error, on any one scale).
// complexity[i] is the alpha at which node i stops being worth its subtree: for a price alpha, a node is a leaf of the
// pruned tree when its complexity ≤ alpha and no ancestor's is. Leaves have 0.
std::vector<double> node_complexity(const Tree& tree, const std::vector<double>& risk);

struct PrunePath {
  std::vector<double> alphas;  // ascending, starting with 0
  std::vector<double> risks;   // of the tree that is best from that alpha on
  std::vector<std::int64_t> leaves;
};
PrunePath prune_path(const Tree& tree, const std::vector<double>& risk);

}  // namespace tw
