// Exact binary splits (CART) from bucket tables and sorted lists.
#pragma once

#include <span>  // for span

#include "base/workers.hpp"
#include "grow/recipe.hpp"
#include "table/column.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

// rows: the rows to grow from, ascending (all of target.rows, or a fold of them).
Tree grow_binary(const Table& table, const Target& target, std::span<const std::uint32_t> rows, const Recipe& recipe,
                 Workers& workers);

}  // namespace tw
