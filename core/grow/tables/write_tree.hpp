// Grown nodes → stored Tree in preorder.
#pragma once

#include <memory>  // for unique_ptr
#include <string>  // for string
#include <vector>  // for vector

#include "grow/tables/splitter.hpp"

namespace tw {

// A node while the tree grows. Children follow one another in the list of all nodes, somewhere behind their parent.
struct GrownNode {
  Sums sums;
  std::uint32_t depth = 0;
  std::unique_ptr<Split> split;  // none at a leaf
  std::vector<double> extras;
  std::size_t first_child = 0;
  Bounds bounds = {};
};

Tree write_tree(const std::vector<GrownNode>& nodes, const Weighing& weighing, const Recipe& recipe,
                std::int32_t n_columns, const std::vector<std::string>& extras);

}  // namespace tw
