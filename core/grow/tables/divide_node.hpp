// Divides the rows of a node among its branches.
#pragma once

#include <functional>  // for function
#include <vector>      // for vector

#include "grow/tables/splitter.hpp"

namespace tw {

// One child's rows. `whole`: every row counts with its own weight, and pieces is empty.
struct ChildRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> pieces;
};

// What became of a node's rows. A child that is a leaf has its sums only: nobody needs its rows.
struct Division {
  std::vector<ChildRows> children;
  std::vector<Sums> sums;
  std::vector<bool> is_leaf;
};

// Stable: rows keep their order. Rows that stay at the node are in no child. is_leaf tells of a child by its sums.
Division divide_node(const NodeView& node, const Split& split, const Counter& counter,
                     const std::function<bool(const Sums&)>& is_leaf);

}  // namespace tw
