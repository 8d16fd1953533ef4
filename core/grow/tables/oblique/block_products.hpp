// Products of columns over one block of rows. Every number in them is whole and every sum below 2^53, so they are exact
// in any order and any width of vectors.
#pragma once

#include <cstddef>  // for size_t

namespace tw {

// out[i·m + j] = Σ_r a_i[r]·b_j[r] for i ≤ j < m; columns of kBlockOfRows rows lie one after the other. Where j < i
// there may be anything afterwards.
void upper_products(const double* a, const double* b, std::size_t m, double* out);
// out[j] = Σ_r a[r]·b_j[r] for j < m.
void row_products(const double* a, const double* b, std::size_t m, double* out);

}  // namespace tw
