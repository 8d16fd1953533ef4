#include "explain/compare_block.hpp"

#include "base/vectors.hpp"
#include "explain/row_block.hpp"

namespace tw {
namespace {

#if defined(__x86_64__)
TW_AVX512 std::uint32_t at_most_avx512(const double* values, double cut) {
  const __m512d cuts = _mm512_set1_pd(cut);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kBlockRows; i += 8)
    bits |= std::uint32_t{_mm512_cmp_pd_mask(_mm512_loadu_pd(values + i), cuts, _CMP_LE_OQ)} << i;
  return bits;
}
#endif

}  // namespace

std::uint32_t at_most(const double* values, double cut) {
#if defined(__x86_64__)
  if (has_avx512()) return at_most_avx512(values, cut);
#endif
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kBlockRows; ++i) bits |= static_cast<std::uint32_t>(values[i] <= cut) << i;
  return bits;
}

}  // namespace tw
