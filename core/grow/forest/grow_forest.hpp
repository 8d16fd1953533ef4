// Grows the trees of a forest; threads share them out.
#pragma once

#include <functional>  // for function
#include <vector>      // for vector

#include "base/progress.hpp"
#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"
#include "grow/forest/drawn_rows.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/forest_rules.hpp"
#include "table/target.hpp"

namespace tw {

// done(tree, grown, counts) is called by the thread that grew the tree, with how often it drew each row.
using TreeDone = std::function<void(std::uint32_t tree, SmallTree& grown, const std::vector<std::uint32_t>& counts)>;

void grow_trees(const ForestCodes& codes, const Target& target, const RowDrawer& drawer, const ForestRules& rules,
                Workers& workers, Progress& progress, const TreeDone& done);

}  // namespace tw
