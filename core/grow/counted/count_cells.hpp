// Counts rows for CountedGrowth: the same on one machine or on many, since all of it is whole numbers that add up.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t
#include <span>     // for span
#include <vector>   // for vector

#include "table/target.hpp"

namespace tw {

// Numbers in a cell or a node: rows, then weight and weighted target, or the weight of each of three classes or more.
std::size_t sums_width(const Target& target);

// One column: `node` of each row (below 0: not asked for) and `cell`. values: of the column, or null.
struct CountedCells {
  std::vector<std::int64_t> sums;  // nodes × cells × width
  std::vector<double> low, high;   // nodes × cells, where there are values; +inf and -inf where there is no row
};
CountedCells count_cells(const std::int32_t* node, const std::int32_t* cell, const double* values, const Target& target,
                         std::size_t n_nodes, std::size_t n_cells);

// What the nodes hold: their sums, and of numbers the range of the levels and, where weights are kept exactly, their
// weighted squares.
struct CountedNodes {
  std::vector<std::int64_t> sums;       // nodes × width
  std::vector<std::int64_t> low, high;  // of the levels
  std::vector<double> lowest;           // y
  std::vector<std::int64_t> squares_high;
  std::vector<std::uint64_t> squares_low;  // the lower 64 bits
};
CountedNodes count_nodes(const std::int32_t* node, const Target& target, std::size_t n_nodes);

}  // namespace tw
