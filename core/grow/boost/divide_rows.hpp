// Divides the rows of a node between its branches. The order of rows within a branch stays; blocks of a fixed size are
// divided side by side, so the result does not depend on the number of threads.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "base/workers.hpp"
#include "grow/boost/binned_table.hpp"
#include "grow/boost/boosted_node.hpp"

namespace tw {

class RowDivider {
 public:
  explicit RowDivider(Workers& workers) : workers_(workers) {}

  // Writes the rows of a node from `from` to the same places of `to`, branch 0 first. Returns where branch 1 begins.
  std::uint32_t divide(const BinnedColumn& column, const BoostedNode& node, const HugeVector<std::uint32_t>& from,
                       HugeVector<std::uint32_t>& to);

 private:
  Workers& workers_;
  std::vector<std::uint16_t> branch_;  // a bit for each row
};

}  // namespace tw
