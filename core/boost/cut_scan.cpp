#include "boost/cut_scan.hpp"

#include <algorithm>  // for min

#include "base/vectors.hpp"

namespace tw {
namespace {

bool is_above(const GradientSum& left, const NodeSides& node, double bar) {
  const double gl = static_cast<double>(left.gradient), hl = static_cast<double>(left.hessian);
  const double gr = static_cast<double>(node.whole.gradient) - gl;
  const double hr = static_cast<double>(node.whole.hessian) - hl;
  const double pl = hl + node.l2, pr = hr + node.l2;
  return (gl * gl * pr + gr * gr * pl > bar * (pl * pr)) & (hl >= node.least) & (hr >= node.least);
}

template <class Word>
std::uint32_t look_plain(const Word* line, std::uint32_t n, Word& carry, const NodeSides& node, double bar,
                         Word* left) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    carry += line[i];
    left[i] = carry;
    bits |= static_cast<std::uint32_t>(is_above(sum_of(carry), node, bar)) << i;
  }
  return bits;
}

#if defined(__x86_64__)
// Walks on from cut `at` until some of eight neighbours are above the bar; returns their bits, 0 at the end.
TW_AVX512 std::uint32_t walk_avx512(const PackedWord* line, std::uint32_t n, std::uint32_t& at, PackedWord& carry,
                                    const NodeSides& node, double bar, PackedWord* left) {
  const __m512d whole_g = _mm512_set1_pd(static_cast<double>(node.whole.gradient));
  const __m512d whole_h = _mm512_set1_pd(static_cast<double>(node.whole.hessian));
  const __m512d l2 = _mm512_set1_pd(node.l2), least = _mm512_set1_pd(node.least), bars = _mm512_set1_pd(bar);
  const __m512i zero = _mm512_setzero_si512(), lower = _mm512_set1_epi64(0xffffffff), last = _mm512_set1_epi64(7);
  __m512i before = _mm512_set1_epi64(carry);
  std::uint32_t bits = 0;
  while (at < n && bits == 0) {
    const auto there = static_cast<__mmask8>(n - at >= 8 ? 0xff : (1u << (n - at)) - 1);
    __m512i sums = _mm512_maskz_loadu_epi64(there, line + at);  // running sums by doubling steps
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 7));
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 6));
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 4));
    sums = _mm512_add_epi64(sums, before);
    before = _mm512_permutexvar_epi64(last, sums);
    const __m512d gl = _mm512_cvtepi64_pd(_mm512_srai_epi64(sums, 32));
    const __m512d hl = _mm512_cvtepi64_pd(_mm512_and_si512(sums, lower));
    const __m512d gr = _mm512_sub_pd(whole_g, gl), hr = _mm512_sub_pd(whole_h, hl);
    const __m512d pl = _mm512_add_pd(hl, l2), pr = _mm512_add_pd(hr, l2);
    const __m512d a = _mm512_add_pd(_mm512_mul_pd(_mm512_mul_pd(gl, gl), pr), _mm512_mul_pd(_mm512_mul_pd(gr, gr), pl));
    __mmask8 above = _mm512_mask_cmp_pd_mask(there, a, _mm512_mul_pd(bars, _mm512_mul_pd(pl, pr)), _CMP_GT_OQ);
    above = _mm512_mask_cmp_pd_mask(above, hl, least, _CMP_GE_OQ);
    bits = _mm512_mask_cmp_pd_mask(above, hr, least, _CMP_GE_OQ);
    if (bits) _mm512_storeu_si512(left, sums);
    at += 8;
  }
  carry = _mm_cvtsi128_si64(_mm512_castsi512_si128(before));
  return bits;
}

#endif

}  // namespace

template <class Word>
bool CutScan<Word>::next(double bar, CutHits<Word>& hits) {
#if defined(__x86_64__)
  if constexpr (sizeof(Word) == sizeof(PackedWord))
    if (has_avx512()) {
      hits.bits = walk_avx512(line_, n_, at_, carry_, node_, bar, hits.left);
      hits.first = at_ - kCutsTogether;
      return hits.bits != 0;
    }
#endif
  for (; at_ < n_; at_ += kCutsTogether) {
    hits.bits = look_plain(line_ + at_, std::min(kCutsTogether, n_ - at_), carry_, node_, bar, hits.left);
    if (!hits.bits) continue;
    hits.first = at_;
    at_ += kCutsTogether;
    return true;
  }
  return false;
}

template class CutScan<PackedWord>;
template class CutScan<DoubleWord>;

}  // namespace tw
