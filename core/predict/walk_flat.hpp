// Walks the rows of a matrix through a FlatTree.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t

#include "predict/flat_tree.hpp"

namespace tw {

// rows: row-major, `stride` numbers from one row to the next. leaf_of[i] = the stored node where row i ends.
void walk_flat(const FlatTree& tree, const float* rows, std::size_t stride, std::size_t n, std::int32_t* leaf_of);
void walk_flat(const FlatTree& tree, const double* rows, std::size_t stride, std::size_t n, std::int32_t* leaf_of);

}  // namespace tw
