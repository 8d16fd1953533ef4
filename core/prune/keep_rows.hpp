// Which rows J48's -R keeps for pruning: the classes are dealt out in turn to the folds, and the last fold is kept.
// What it draws with its seed is only the order of the other rows, on which no tree depends.
#pragma once

#include <cstdint>  // for uint32_t
#include <utility>  // for pair
#include <vector>   // for vector

#include "table/target.hpp"

namespace tw {

// The rows to grow from, and the rows to keep. They depend on the order of rows.
std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> keep_rows(const Target& target, std::size_t folds);

}  // namespace tw
