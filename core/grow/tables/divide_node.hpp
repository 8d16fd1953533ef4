// Divides the rows of a node among its branches.
#pragma once

#include <vector>  // for vector

#include "grow/tables/splitter.hpp"

namespace tw {

// One child's rows. `whole`: every row counts with its own weight, and pieces is empty.
struct ChildRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> pieces;
};

// Stable: rows keep their order. Rows that stay at the node are in no child.
std::vector<ChildRows> divide_node(const NodeView& node, const Split& split);

}  // namespace tw
