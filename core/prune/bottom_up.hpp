// One pass from the leaves to the root, which is the way of most pruners: preorder read backwards meets every child
// before its parent.
#pragma once

#include <cstdint>  // for uint8_t
#include <span>     // for span
#include <vector>   // for vector

#include "tree/tree.hpp"

namespace tw {

// The sum of one number a node over each node and all that lies below it.
std::vector<double> subtree_sums(const Tree& tree, std::span<const double> values);

// Marks the nodes that are cheaper as leaves: as_leaf ≤ kept + (cost of the branches as pruned) + margin. `kept` is
// what a node costs by itself while it asks. Equal costs make a leaf, and so do costs that differ only by rounding.
std::vector<std::uint8_t> cheaper_as_leaf(const Tree& tree, std::span<const double> as_leaf,
                                          std::span<const double> kept, double margin);

}  // namespace tw
