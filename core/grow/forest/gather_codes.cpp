#include "grow/forest/gather_codes.hpp"

#include "base/vectors.hpp"

namespace tw {
namespace {

#if defined(__x86_64__)
// Sixteen rows at a time: 32 bits are fetched for each, and the upper half is dropped.
TW_AVX512 std::uint32_t gather_avx512(const std::uint16_t* from, const std::uint32_t* rows, std::uint32_t n,
                                      std::uint16_t* to) {
  std::uint32_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i at = _mm512_loadu_si512(rows + i);
    const __m512i pairs = _mm512_i32gather_epi32(at, from, 2);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm512_cvtepi32_epi16(pairs));
  }
  return i;
}

#endif

}  // namespace

void gather_codes(const std::uint16_t* from, const std::uint32_t* rows, std::uint32_t n, std::uint16_t* to) {
  std::uint32_t i = 0;
#if defined(__x86_64__)
  if (has_avx512()) i = gather_avx512(from, rows, n, to);
#endif
  for (; i < n; ++i) to[i] = from[rows[i]];
}

}  // namespace tw
