// Rows → leaves, for many rows at once.
#pragma once

#include "base/workers.hpp"
#include "predict/frame.hpp"
#include "tree/tree.hpp"

namespace tw {

// leaf_of[i] = the node where row i ends.
void find_leaves(const Tree& tree, const Frame& frame, std::int32_t* leaf_of, Workers& workers);

}  // namespace tw
