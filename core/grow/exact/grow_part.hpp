// The subtree of a node of a larger tree, whose rows are all that is at hand.
#pragma once

#include <span>    // for span
#include <vector>  // for vector

#include "grow/exact/block_grower.hpp"

namespace tw {

// in.root_weight is that of the larger tree; arenas[0] has the root of the subtree (assemble_tree.hpp).
std::vector<Arena> grow_part(const GrowthInputs& in, std::span<const std::uint32_t> rows, std::uint32_t depth);

}  // namespace tw
