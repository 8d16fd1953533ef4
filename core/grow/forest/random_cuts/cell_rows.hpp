// CellRows: the table as extra trees see it, row by row in plain numbers. Nothing is sorted or coded: a random cut
// needs the smallest and the largest number of a node, and a comparison for each row.
//
// Numbers are floats where that loses nothing, else doubles. Missing is NaN; levels are their codes (see ForestColumn).
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "base/huge_memory.hpp"
#include "base/workers.hpp"
#include "grow/forest/forest_codes.hpp"
#include "table/column.hpp"

namespace tw {

template <class Number>
struct CellRows {
  using Cell = Number;
  std::size_t n_rows = 0, n_columns = 0, step = 0;  // step: from one row to the next, a whole number of vectors
  HugeVector<Number> cells;
  std::vector<ForestColumn> columns;  // without the numbers of codes
  bool all_plain = true;              // numbers or ordinal scales, none missing

  const Number* row(std::size_t r) const { return cells.data() + r * step; }
};

// Whether floats hold every number of the table.
bool fits_floats(const Table& table);

template <class Number>
CellRows<Number> cells_by_rows(const Table& table, Workers& workers);

}  // namespace tw
