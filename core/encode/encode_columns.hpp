// The user's columns → coded and raw columns, once for the whole table, in parallel.
#pragma once

#include <vector>  // for vector

#include "base/workers.hpp"
#include "table/column.hpp"

namespace tw {

// Numeric columns. The numbers stay borrowed in Column::values.
std::vector<Column> encode_numbers(const std::vector<Values>& sources, std::size_t n_rows, Workers& workers);

// Level codes that are already 0 (missing) … n_levels, in the narrowest width.
Column encode_levels(const std::int32_t* codes, std::size_t n_rows, std::uint32_t n_levels, bool ordered);

}  // namespace tw
