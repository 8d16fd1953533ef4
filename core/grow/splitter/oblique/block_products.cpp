#include "grow/splitter/oblique/block_products.hpp"

#include <cstring>  // for memcpy

#include "grow/splitter/oblique/cloud.hpp"

namespace tw {
namespace {

constexpr std::size_t kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

inline __attribute__((always_inline)) void load(const double* from, Lanes& to) { std::memcpy(&to, from, sizeof to); }

// One column of a with four columns of b at a time: each number of a is read once for four products.
inline __attribute__((always_inline)) void products(const double* a, const double* b, std::size_t m, double* out) {
  std::size_t j = 0;
  for (; j + 4 <= m; j += 4) {
    Lanes sums[4] = {};
    const double* columns = b + j * kCloudBlock;
    for (std::size_t r = 0; r < kCloudBlock; r += kLanes) {
      Lanes x, y;
      load(a + r, x);
      for (std::size_t c = 0; c < 4; ++c) {
        load(columns + c * kCloudBlock + r, y);
        sums[c] += x * y;
      }
    }
    for (std::size_t c = 0; c < 4; ++c) out[j + c] = (sums[c][0] + sums[c][1]) + (sums[c][2] + sums[c][3]);
  }
  for (; j < m; ++j) {
    Lanes sum = {}, x, y;
    for (std::size_t r = 0; r < kCloudBlock; r += kLanes) {
      load(a + r, x);
      load(b + j * kCloudBlock + r, y);
      sum += x * y;
    }
    out[j] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

inline __attribute__((always_inline)) void upper(const double* a, const double* b, std::size_t m, double* out) {
  for (std::size_t i = 0; i < m; ++i) products(a + i * kCloudBlock, b + i * kCloudBlock, m - i, out + i * m + i);
}

void upper_plain(const double* a, const double* b, std::size_t m, double* out) { upper(a, b, m, out); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) void upper_avx2(const double* a, const double* b, std::size_t m, double* out) {
  upper(a, b, m, out);
}
const bool has_avx2 = __builtin_cpu_supports("avx2");
#endif

}  // namespace

void upper_products(const double* a, const double* b, std::size_t m, double* out) {
#if defined(__x86_64__)
  if (has_avx2) return upper_avx2(a, b, m, out);
#endif
  upper_plain(a, b, m, out);
}

void row_products(const double* a, const double* b, std::size_t m, double* out) { products(a, b, m, out); }

}  // namespace tw
