// Numbers → dense ranks (missing 0), once for the whole table, columns in parallel.
#pragma once

#include <vector>  // for vector

#include "base/workers.hpp"
#include "table/column.hpp"

namespace tw {

// Encodes numeric columns. The values stay borrowed in Column::values.
std::vector<Column> rank_columns(const std::vector<Values>& sources, std::size_t n_rows, Workers& workers);

// Takes level codes that are already 0 (missing) … n_levels and stores them in the narrowest width.
Column level_column(const std::int32_t* codes, std::size_t n_rows, std::uint32_t n_levels, bool ordered);

}  // namespace tw
