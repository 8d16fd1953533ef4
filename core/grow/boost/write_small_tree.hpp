// The nodes of a finished tree → the small tree that is kept.
#pragma once

#include <vector>  // for vector

#include "ensemble/small_tree.hpp"
#include "grow/boost/binned_table.hpp"
#include "grow/boost/boosted_node.hpp"
#include "grow/boost/fixed_rules.hpp"

namespace tw {

SmallTree write_small_tree(const std::vector<BoostedNode>& nodes, const BinnedTable& table, const FixedRules& rules);

}  // namespace tw
