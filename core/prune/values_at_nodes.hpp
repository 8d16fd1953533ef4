// How many different numbers the column of a node's test has among the rows that come to the node: one more than the
// cuts that the node could have made there.
#pragma once

#include <cstdint>  // for int64_t
#include <span>     // for span
#include <vector>   // for vector

#include "table/ranks.hpp"
#include "tree/tree.hpp"

namespace tw {

// ends[i] is the node where rows[i] ends; a row may be there several times, with several ends. 0 at nodes whose test is
// no threshold.
std::vector<std::int64_t> values_at_nodes(const Tree& tree, const RankedTable& table,
                                          std::span<const std::uint32_t> rows, std::span<const std::int32_t> ends);

}  // namespace tw
