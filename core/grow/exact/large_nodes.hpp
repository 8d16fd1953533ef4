// The top of a tree, grown from tables of counts: nodes that are too large for a block (block_grower.hpp).
#pragma once

#include <cstdint>  // for uint32_t
#include <memory>   // for unique_ptr
#include <vector>   // for vector

#include "grow/exact/criterion_engine.hpp"
#include "grow/exact/table_search.hpp"

namespace tw {

std::unique_ptr<LargeNodeGrower> make_large_nodes(const GrowthInputs& in, std::unique_ptr<TableSearch> search,
                                                  std::vector<std::uint32_t>& rows, std::uint32_t block_rows);

}  // namespace tw
