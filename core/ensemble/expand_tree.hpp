// Between the small trees of an ensemble and ordinary trees.
#pragma once

#include "ensemble/small_tree.hpp"
#include "tree/tree.hpp"

namespace tw {

// The ordinary tree: counts, weights, mean values and impurities of inner nodes are added up from the leaves.
Tree expand(const SmallTree& small, std::int32_t n_columns, std::int32_t n_classes);

// The small form of a tree whose tests have two branches each and send every row to one of them. Throws BadInput when
// the tree is not like that. What a small tree does not keep (extras, lists) is left out.
SmallTree shrink(const Tree& tree);

}  // namespace tw
