// Rows → leaves, for many rows at once.
#pragma once

#include <vector>  // for vector

#include "base/workers.hpp"
#include "predict/frame.hpp"
#include "tree/tree.hpp"

namespace tw {

// leaf_of[i] = the node where row i ends.
void find_leaves(const Tree& tree, const Frame& frame, std::int32_t* leaf_of, Workers& workers);

// Where each row ends when rows may be spread: row i is in node[k] with share[k] for k in start[i] … start[i + 1] − 1,
// in preorder of the nodes; its shares add up to 1.
struct LeafShares {
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> node;
  std::vector<double> share;
};
LeafShares find_leaf_shares(const Tree& tree, const Frame& frame, Workers& workers);

}  // namespace tw
