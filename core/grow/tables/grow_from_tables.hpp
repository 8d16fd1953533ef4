// The growth loop for every algorithm that reads tables of counts: look at each column of a node, let the splitter
// choose, divide the rows, go on with the children. docs/design.md, "Growing from tables".
#pragma once

#include <span>  // for span

#include "base/workers.hpp"
#include "grow/tables/splitter.hpp"
#include "tree/tree.hpp"

namespace tw {

Tree grow_from_tables(const Table& table, const Target& target, std::span<const std::uint32_t> rows,
                      const Recipe& recipe, Splitter& splitter, Workers& workers);

}  // namespace tw
