#include "grow/exact/scan_counts.hpp"

#include "base/vectors.hpp"

namespace tw {

namespace {

CountHits scan_plain(const std::uint32_t* words, std::uint32_t n, const CountScan& scan) {
  CountHits hits;
  double a = scan.a, b = scan.b;
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool is_1 = (words[i] & 0xffffu) >= scan.n_class_0;
    a += 1, b += is_1 ? 1.0 : 0.0;
    const double d = b - scan.mean * a;
    const bool hit = scan.quadratic * d * d >= scan.level * a * (scan.whole - a);
    hits.class_1 |= static_cast<std::uint32_t>(is_1) << i;
    hits.may_reach |= static_cast<std::uint32_t>(hit) << i;
  }
  return hits;
}

#if defined(__x86_64__)
TW_AVX512 __mmask8 half(__m256i prefix, __m512d first, const CountScan& scan) {
  const __m512d a = _mm512_add_pd(_mm512_set1_pd(scan.a), first);
  const __m512d b = _mm512_add_pd(_mm512_set1_pd(scan.b), _mm512_cvtepi32_pd(prefix));
  const __m512d d = _mm512_sub_pd(b, _mm512_mul_pd(_mm512_set1_pd(scan.mean), a));
  const __m512d left = _mm512_mul_pd(_mm512_mul_pd(_mm512_set1_pd(scan.quadratic), d), d);
  const __m512d right =
      _mm512_mul_pd(_mm512_mul_pd(_mm512_set1_pd(scan.level), a), _mm512_sub_pd(_mm512_set1_pd(scan.whole), a));
  return _mm512_cmp_pd_mask(left, right, _CMP_GE_OQ);
}

TW_AVX512 CountHits scan_avx512(const std::uint32_t* words, std::uint32_t n, const CountScan& scan) {
  const __mmask16 there = static_cast<__mmask16>((1u << n) - 1);
  const __m512i rows = _mm512_and_si512(_mm512_maskz_loadu_epi32(there, words), _mm512_set1_epi32(0xffff));
  const __mmask16 class_1 =
      _mm512_mask_cmpge_epi32_mask(there, rows, _mm512_set1_epi32(static_cast<int>(scan.n_class_0)));
  const __m512i zero = _mm512_setzero_si512();
  __m512i prefix = _mm512_maskz_set1_epi32(class_1, 1);  // running counts by doubling steps
  prefix = _mm512_add_epi32(prefix, _mm512_alignr_epi32(prefix, zero, 15));
  prefix = _mm512_add_epi32(prefix, _mm512_alignr_epi32(prefix, zero, 14));
  prefix = _mm512_add_epi32(prefix, _mm512_alignr_epi32(prefix, zero, 12));
  prefix = _mm512_add_epi32(prefix, _mm512_alignr_epi32(prefix, zero, 8));
  std::uint32_t hits = half(_mm512_castsi512_si256(prefix), _mm512_setr_pd(1, 2, 3, 4, 5, 6, 7, 8), scan);
  if (n > 8)
    hits |= static_cast<std::uint32_t>(
                half(_mm512_extracti64x4_epi64(prefix, 1), _mm512_setr_pd(9, 10, 11, 12, 13, 14, 15, 16), scan))
            << 8;
  return {hits & there, class_1};
}

#endif

}  // namespace

CountHits scan_counts(const std::uint32_t* words, std::uint32_t n, const CountScan& scan) {
#if defined(__x86_64__)
  if (has_avx512()) return scan_avx512(words, n, scan);
#endif
  return scan_plain(words, n, scan);
}

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
