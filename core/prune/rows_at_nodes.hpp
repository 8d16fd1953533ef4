// Which rows J48's -R keeps for pruning: the classes are dealt out in turn to the folds, and the last fold is kept.
// What it draws with its seed is only the order of the other rows, on which no tree depends.
#pragma once

#include <cstdint>  // for uint32_t, int64_t
#include <span>     // for span
#include <utility>  // for pair
#include <vector>   // for vector

#include "table/ranks.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

// The rows to grow from, and the rows to keep. They depend on the order of rows.
std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> keep_rows(const Target& target, std::size_t folds);

// How many different numbers the column of a node's test has among the rows that come to the node: one more than the
// cuts that the node could have made there.

// ends[i] is the node where rows[i] ends; a row may be there several times, with several ends. 0 at nodes whose test is
// no threshold.
std::vector<std::int64_t> values_at_nodes(const Tree& tree, const RankedTable& table,
                                          std::span<const std::uint32_t> rows, std::span<const std::int32_t> ends);

}  // namespace tw
