// Best-first growth of a tree of a forest, as a choice among the nodes of the whole tree made afterwards.
#pragma once

#include <cstdint>  // for int64_t

#include "ensemble/small_tree.hpp"

namespace tw {

// Cuts the tree back to the leaves that best-first growth would have, if it has more than that.
void keep_leaves(SmallTree& tree, std::int64_t max_leaves, std::int32_t n_columns, std::int32_t n_classes);

}  // namespace tw
