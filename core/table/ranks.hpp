// Ranks: every column as dense codes, for searches that read tables of counts. Missing is 0.
//
// A nominal or ordinal column keeps its level codes; a numeric one gets the rank of each number among the different
// numbers of the whole table, 1 … n_codes. Codes that a node's rows have are then all that a finder needs.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "base/workers.hpp"
#include "table/column.hpp"

namespace tw {

struct RankedColumn {
  Kind kind = Kind::numeric;
  bool has_missing = false;
  std::uint32_t n_codes = 0;
  int width = 1;  // bytes of a code: 1, 2 or 4
  std::vector<std::uint8_t> codes8;
  std::vector<std::uint16_t> codes16;
  std::vector<std::uint32_t> codes32;
  std::vector<double> values;  // value of code c is values[c - 1]; ordinal: the code itself; nominal: empty
  Values numbers;              // numeric: the same numbers row by row, where the user has them

  bool ordered() const { return kind != Kind::nominal; }
  double value_of(std::uint32_t code) const { return values[code - 1]; }

  // Calls f with the array of codes, in its own width.
  template <class F>
  auto visit_codes(F&& f) const {
    if (width == 1) return f(codes8.data());
    if (width == 2) return f(codes16.data());
    return f(codes32.data());
  }
  std::uint32_t code(std::size_t row) const {
    return width == 1 ? codes8[row] : width == 2 ? codes16[row] : codes32[row];
  }
};

struct RankedTable {
  std::size_t n_rows = 0;
  std::vector<RankedColumn> columns;
};

RankedColumn rank_column(const Column& column, std::size_t n_rows);
RankedTable rank_columns(const Table& table, Workers& workers);

}  // namespace tw
