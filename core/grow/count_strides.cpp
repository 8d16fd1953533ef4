#include "grow/count_strides.hpp"

#include "base/vectors.hpp"

namespace tw {
namespace {

void count_plain(const std::uint32_t* list, std::size_t n_strides, std::uint32_t n_class_0, std::uint8_t* counts) {
  const auto border = static_cast<std::int32_t>(n_class_0);
  for (std::size_t s = 0; s < n_strides; ++s, list += kStride) {
    std::int32_t count = 0;
    for (std::uint32_t i = 0; i < kStride; ++i) count += static_cast<std::int32_t>(list[i] & 0xffffu) >= border;
    counts[s] = static_cast<std::uint8_t>(count);
  }
}

#if defined(__x86_64__)
TW_AVX512 void count_avx512(const std::uint32_t* list, std::size_t n_strides, std::uint32_t n_class_0,
                            std::uint8_t* counts) {
  const __m512i row_mask = _mm512_set1_epi32(0xffff), border = _mm512_set1_epi32(static_cast<int>(n_class_0));
  for (std::size_t s = 0; s < n_strides; ++s, list += kStride) {
    const __m512i x = _mm512_and_si512(_mm512_loadu_si512(list), row_mask);
    const __m512i y = _mm512_and_si512(_mm512_loadu_si512(list + 16), row_mask);
    const unsigned both = static_cast<unsigned>(_mm512_cmpge_epi32_mask(x, border)) |
                          static_cast<unsigned>(_mm512_cmpge_epi32_mask(y, border)) << 16;
    counts[s] = static_cast<std::uint8_t>(__builtin_popcount(both));
  }
}

#endif

}  // namespace

void count_class_1(const std::uint32_t* list, std::size_t n_strides, std::uint32_t n_class_0, std::uint8_t* counts) {
#if defined(__x86_64__)
  if (has_avx512()) return count_avx512(list, n_strides, n_class_0, counts);
#endif
  count_plain(list, n_strides, n_class_0, counts);
}

}  // namespace tw
