#include "network/product.hpp"

#include "base/vectors.hpp"
#include "network/network.hpp"

namespace tw {
namespace {

template <class T>
struct Vector {
  typedef T type __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
};

#define TW_INLINE __attribute__((always_inline)) inline

// A tile of the result that stays in registers.
template <class T, std::size_t kRows, std::size_t kVectors>
TW_INLINE void tile(const Product<T>& p, std::size_t row, std::size_t at) {
  using V = typename Vector<T>::type;
  V sums[kRows][kVectors];
  for (std::size_t c = 0; c < kVectors; ++c) {
    const V begin = p.start ? *reinterpret_cast<const V*>(p.start + at + c * kWide<T>) : V{};
    for (std::size_t r = 0; r < kRows; ++r) sums[r][c] = begin;
  }
  const T* left = p.left + row * p.row_step;
  const T* right = p.right + at;
  for (std::size_t s = 0; s < p.n_inner; ++s, left += p.inner_step, right += p.width)
    for (std::size_t c = 0; c < kVectors; ++c) {
      const V factor = *reinterpret_cast<const V*>(right + c * kWide<T>);
      for (std::size_t r = 0; r < kRows; ++r) sums[r][c] += left[r * p.row_step] * factor;
    }
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t c = 0; c < kVectors; ++c)
      *reinterpret_cast<V*>(p.to + (row + r) * p.width + at + c * kWide<T>) = sums[r][c];
}

template <class T, std::size_t kVectors>
TW_INLINE void stripe(const Product<T>& p, std::size_t at) {
  std::size_t row = 0;
  for (; row + 4 <= p.n_rows; row += 4) tile<T, 4, kVectors>(p, row, at);
  for (; row < p.n_rows; ++row) tile<T, 1, kVectors>(p, row, at);
}

template <class T>
TW_INLINE void all_stripes(const Product<T>& p) {
  std::size_t at = 0;
  for (; at + 2 * kWide<T> <= p.width; at += 2 * kWide<T>) stripe<T, 2>(p, at);
  if (at < p.width) stripe<T, 1>(p, at);
}

}  // namespace

void multiply(const Product<double>& product) {
  with_widest_vectors([&]() TW_INLINE_LOOP { all_stripes(product); });
}

void multiply(const Product<float>& product) {
  with_widest_vectors([&]() TW_INLINE_LOOP { all_stripes(product); });
}

}  // namespace tw
