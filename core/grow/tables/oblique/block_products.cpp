#include "grow/tables/oblique/block_products.hpp"

#include <algorithm>  // for min
#include <cstring>    // for memcpy

#include "base/vectors.hpp"
#include "grow/tables/oblique/standardized_rows.hpp"

namespace tw {
namespace {

constexpr std::size_t kLanes = 4, kMostAtOnce = 32;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

inline __attribute__((always_inline)) void load(const double* from, Lanes& to) { std::memcpy(&to, from, sizeof to); }

// One column of a with four columns of b at a time: each number of a is read once for four products.
inline __attribute__((always_inline)) void products(const double* a, const double* b, std::size_t m, double* out) {
  std::size_t j = 0;
  for (; j + 4 <= m; j += 4) {
    Lanes sums[4] = {};
    const double* columns = b + j * kBlockOfRows;
    for (std::size_t r = 0; r < kBlockOfRows; r += kLanes) {
      Lanes x, y;
      load(a + r, x);
      for (std::size_t c = 0; c < 4; ++c) {
        load(columns + c * kBlockOfRows + r, y);
        sums[c] += x * y;
      }
    }
    for (std::size_t c = 0; c < 4; ++c) out[j + c] = (sums[c][0] + sums[c][1]) + (sums[c][2] + sums[c][3]);
  }
  for (; j < m; ++j) {
    Lanes sum = {}, x, y;
    for (std::size_t r = 0; r < kBlockOfRows; r += kLanes) {
      load(a + r, x);
      load(b + j * kBlockOfRows + r, y);
      sum += x * y;
    }
    out[j] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

inline __attribute__((always_inline)) void upper(const double* a, const double* b, std::size_t m, double* out) {
  for (std::size_t i = 0; i < m; ++i) products(a + i * kBlockOfRows, b + i * kBlockOfRows, m - i, out + i * m + i);
}

void upper_plain(const double* a, const double* b, std::size_t m, double* out) { upper(a, b, m, out); }

#if defined(__x86_64__)
TW_AVX2 void upper_avx2(const double* a, const double* b, std::size_t m, double* out) { upper(a, b, m, out); }

// Four columns of a with four of b: eight numbers are read for sixteen products, each of which is exact, so that it may
// be added without being rounded first.
TW_AVX512 void square_avx512(const double* a, const double* b, std::size_t stride, double* out) {
  __m512d sums[4][4];
  for (auto& row : sums)
    for (__m512d& sum : row) sum = _mm512_setzero_pd();
  for (std::size_t r = 0; r < kBlockOfRows; r += 8) {
    __m512d y[4];
    for (std::size_t c = 0; c < 4; ++c) y[c] = _mm512_loadu_pd(b + c * kBlockOfRows + r);
    for (std::size_t i = 0; i < 4; ++i) {
      const __m512d x = _mm512_loadu_pd(a + i * kBlockOfRows + r);
      for (std::size_t c = 0; c < 4; ++c) sums[i][c] = _mm512_fmadd_pd(x, y[c], sums[i][c]);
    }
  }
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t c = 0; c < 4; ++c) out[i * stride + c] = _mm512_reduce_add_pd(sums[i][c]);
}

// What squares leave over at the end is done column by column. Below the diagonal stands what nobody reads.
TW_AVX512 void upper_avx512(const double* a, const double* b, std::size_t m, double* out) {
  const std::size_t whole = m / 4 * 4;
  for (std::size_t i = 0; i < whole; i += 4)
    for (std::size_t j = i; j < whole; j += 4)
      square_avx512(a + i * kBlockOfRows, b + j * kBlockOfRows, m, out + i * m + j);
  double column[kMostAtOnce];
  for (std::size_t j = whole; j < m; ++j)
    for (std::size_t i = 0; i <= j; i += kMostAtOnce) {
      const std::size_t n = std::min(kMostAtOnce, j + 1 - i);
      products(b + j * kBlockOfRows, a + i * kBlockOfRows, n, column);
      for (std::size_t k = 0; k < n; ++k) out[(i + k) * m + j] = column[k];
    }
}

#endif

}  // namespace

void upper_products(const double* a, const double* b, std::size_t m, double* out) {
#if defined(__x86_64__)
  if (has_avx512()) return upper_avx512(a, b, m, out);
  if (has_avx2()) return upper_avx2(a, b, m, out);
#endif
  upper_plain(a, b, m, out);
}

void row_products(const double* a, const double* b, std::size_t m, double* out) {
  with_widest_vectors([=]() TW_INLINE_LOOP { products(a, b, m, out); });
}

}  // namespace tw
