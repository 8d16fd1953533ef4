// Rows in an order that comes from what is in them, and not from where they stand in the table: what is drawn by its
// place in this order is the same for any order of the rows, and the same whether a row stands there twice or has a
// weight of 2.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "table/column.hpp"
#include "table/target.hpp"

namespace tw {

// The rows that count. Equal rows (all values and the target) stand side by side: the lightest first, and those of
// equal weight in the order of the table. The target rounds weights to parts of the largest; whoever goes on with the
// weights of some rows alone gives them unrounded too.
std::vector<std::uint32_t> rows_by_content(const Table& table, const Target& target, Workers& workers,
                                           std::span<const double> unrounded = {});

}  // namespace tw
