// The tree that rpart grows at a price of a leaf. It prices a node while it grows, and saves itself the parts that
// cannot pay any more by what it has seen so far: two shortcuts that sometimes give a smaller tree than growing
// everything and pruning at the same price (cost_complexity.hpp).
// - A node is not divided when the most that it could still be worth is no more than the price. That is its own risk,
// or
//   less: the worth of its parent as it stood when the node's turn came, minus the price.
// - When a node is priced, each son counts as it stood when it was priced itself, or as a leaf.
#pragma once

#include <cstdint>  // for uint8_t
#include <vector>   // for vector

#include "tree/tree.hpp"

namespace tw {

// risk: each node's cost as a leaf. mean: of the target at each node; sons with a lower one come first, of equals the
// last one. Gives 1 for every node that stays a leaf.
std::vector<std::uint8_t> leaves_by_price(const Tree& tree, const std::vector<double>& risk,
                                          const std::vector<double>& mean, double price);

}  // namespace tw
