#include "network/product.hpp"

#include "base/vectors.hpp"

namespace tw {
namespace {

template <class T, std::size_t kBytes>
struct Vector {
  typedef T type __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias));
};

#define TW_INLINE __attribute__((always_inline)) inline

// Loops over vectors of so many bytes.
template <class T, std::size_t kBytes>
struct Tiles {
  using V = typename Vector<T, kBytes>::type;
  static constexpr std::size_t kNumbers = kBytes / sizeof(T);
  const Product<T>& p;

  // A tile of the result that stays in registers.
  template <std::size_t kRows, std::size_t kVectors>
  TW_INLINE void tile(std::size_t row, std::size_t at) const {
    V sums[kRows][kVectors];
    for (std::size_t c = 0; c < kVectors; ++c) {
      const V begin = p.start ? *reinterpret_cast<const V*>(p.start + at + c * kNumbers) : V{};
      for (std::size_t r = 0; r < kRows; ++r) sums[r][c] = begin;
    }
    const T* left = p.left + row * p.row_step;
    const T* right = p.right + at;
    for (std::size_t s = 0; s < p.n_inner; ++s, left += p.inner_step, right += p.width)
      for (std::size_t c = 0; c < kVectors; ++c) {
        const V factor = *reinterpret_cast<const V*>(right + c * kNumbers);
        for (std::size_t r = 0; r < kRows; ++r) sums[r][c] += left[r * p.row_step] * factor;
      }
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t c = 0; c < kVectors; ++c)
        *reinterpret_cast<V*>(p.to + (row + r) * p.width + at + c * kNumbers) = sums[r][c];
  }

  template <std::size_t kVectors>
  TW_INLINE void stripe(std::size_t at) const {
    std::size_t row = 0;
    for (; row + 4 <= p.n_rows; row += 4) tile<4, kVectors>(row, at);
    for (; row < p.n_rows; ++row) tile<1, kVectors>(row, at);
  }

  TW_INLINE void all_stripes() const {
    std::size_t at = 0;
    for (; at + 2 * kNumbers <= p.width; at += 2 * kNumbers) stripe<2>(at);
    if (at < p.width) stripe<1>(at);  // of the widest vectors alone
  }
};

template <class T>
void multiply_any(const Product<T>& product) {
  with_vectors_of_bytes([&](auto bytes) TW_INLINE_LOOP { Tiles<T, bytes()>{product}.all_stripes(); });
}

}  // namespace

void multiply(const Product<double>& product) { multiply_any(product); }
void multiply(const Product<float>& product) { multiply_any(product); }

}  // namespace tw
