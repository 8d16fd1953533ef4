// Sprouts → stored Tree: preorder numbers, majority classes, gains.
#pragma once

#include <vector>  // for vector

#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

// arenas[0] holds the root; GrowingNode::subtree leads from a node to the root of another arena.
Tree assemble_tree(const std::vector<Arena>& arenas, const Target& target, const Recipe& recipe,
                   std::int32_t n_columns);

// Best-first growth, as a choice among the nodes of the tree that the other rules allow: starting from the root, the
// leaf with the largest weight × gain is split next until there are max_leaves leaves. Ties: the first in preorder.
Tree keep_best_leaves(const Tree& tree, std::int64_t max_leaves);

}  // namespace tw
