// The one loop that takes the time of a network: sums of products, four rows and two vectors at a time.
#pragma once

#include <cstddef>  // for size_t

namespace tw {

// to[r][j] = start[j] + Σ_s left[r · row_step + s · inner_step] · right[s][j], for j below `width`, a multiple of
// kWide. `right` and `to` have rows of `width` numbers; without `start` the sum begins at 0. Sums are added in the
// order of s.
template <class T>
struct Product {
  const T* left;
  std::size_t n_rows, row_step, inner_step, n_inner;
  const T* right;
  const T* start;
  T* to;
  std::size_t width;
};

void multiply(const Product<double>& product);
void multiply(const Product<float>& product);

}  // namespace tw
