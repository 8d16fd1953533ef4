// A stored tree of a forest, ready to be walked by the codes of a table.
#pragma once

#include "forest/forest_codes.hpp"
#include "forest/grown_tree.hpp"

namespace tw {

GrownTree code_tree(const SmallTree& tree, const ForestCodes& codes);

}  // namespace tw
