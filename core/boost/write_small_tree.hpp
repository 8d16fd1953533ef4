// The nodes of a finished tree → the small tree that is kept.
#pragma once

#include <vector>  // for vector

#include "boost/binned_table.hpp"
#include "boost/boosted_node.hpp"
#include "boost/fixed_rules.hpp"
#include "ensemble/small_tree.hpp"

namespace tw {

SmallTree write_small_tree(const std::vector<BoostedNode>& nodes, const BinnedTable& table, const FixedRules& rules);

}  // namespace tw
