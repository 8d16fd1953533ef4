#include "ensemble/column_coder.hpp"

#include <limits>   // for numeric_limits
#include <utility>  // for move

#include "base/vectors.hpp"

namespace tw {
namespace {

constexpr std::size_t kMostCells = 1 << 16;
constexpr std::size_t kRowsAtOnce = 1024;  // a multiple of 8

void copy_numbers(const FrameColumn& values, std::size_t first, std::size_t n, double* numbers) {
  if (values.is_levels || values.numbers.missing) {
    for (std::size_t i = 0; i < n; ++i) numbers[i] = values.at(first + i);
    return;
  }
  values.numbers.visit([&](auto zero) {
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] = static_cast<double>(values.numbers.load<decltype(zero)>(first + i));
  });
}

}  // namespace

ColumnCoder::ColumnCoder(std::int32_t column, std::uint32_t largest_level, std::vector<double> cuts)
    : column_(column), largest_level_(largest_level), cuts_(std::move(cuts)) {
  std::size_t begin = 0, end = cuts_.size();
  while (begin < end && !std::isfinite(cuts_[begin])) ++begin;
  while (begin < end && !std::isfinite(cuts_[end - 1])) --end;
  std::size_t cells = 1;
  if (end - begin > 1) {
    while (cells < 2 * (end - begin) && cells < kMostCells) cells *= 2;
    low_ = cuts_[begin];
    scale_ = static_cast<double>(cells) / (cuts_[end - 1] - low_);
    if (!std::isfinite(scale_) || scale_ <= 0) cells = 1, low_ = scale_ = 0;
  }
  last_cell_ = static_cast<double>(cells - 1);
  first_.assign(cells + 1, 0);
  for (const double cut : cuts_) ++first_[cell_of(cut) + 1];
  std::uint32_t most_in_cell = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    most_in_cell = std::max(most_in_cell, first_[cell + 1]);
    first_[cell + 1] += first_[cell];
  }
  while (2 * first_step_ <= most_in_cell && most_in_cell > 0) first_step_ = first_step_ == 0 ? 1 : 2 * first_step_;
  cuts_.resize(cuts_.size() + 2 * std::size_t{first_step_}, std::numeric_limits<double>::infinity());
}

#if defined(__x86_64__)
template <class Code>
TW_AVX512 void ColumnCoder::code_vectors(const double* numbers, std::size_t n, Code* codes) const {
  const __m512d low = _mm512_set1_pd(low_), scale = _mm512_set1_pd(scale_), last = _mm512_set1_pd(last_cell_);
  const auto* first = reinterpret_cast<const int*>(first_.data());
  for (std::size_t i = 0; i < n; i += 8) {
    const __m512d x = _mm512_loadu_pd(numbers + i);
    __m512d place = _mm512_mul_pd(_mm512_sub_pd(x, low), scale);
    place = _mm512_min_pd(_mm512_max_pd(place, _mm512_setzero_pd()), last);  // NaN becomes 0
    __m256i at = _mm256_i32gather_epi32(first, _mm512_cvttpd_epi32(place), 4);
    for (std::uint32_t step = first_step_; step > 0; step /= 2) {
      const __m512d cut = _mm512_i32gather_pd(at, cuts_.data() + (step - 1), 8);
      const __mmask8 below = _mm512_cmp_pd_mask(cut, x, _CMP_LT_OQ);
      at = _mm256_mask_add_epi32(at, below, at, _mm256_set1_epi32(static_cast<int>(step)));
    }
    const __mmask8 known = _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q);
    const __m256i code = _mm256_maskz_add_epi32(known, at, _mm256_set1_epi32(1));
    if constexpr (sizeof(Code) == 2)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i), _mm256_cvtepi32_epi16(code));
    else
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(codes + i), code);
  }
}
#else
template <class Code>
void ColumnCoder::code_vectors(const double*, std::size_t, Code*) const {}
#endif

template <class Code>
void ColumnCoder::code_numbers(const double* numbers, std::size_t n, Code* codes) const {
  if (largest_level_ == 0 && has_avx512()) return code_vectors(numbers, n, codes);
  for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<Code>(code(numbers[i]));
}

template <class Code>
void ColumnCoder::code_rows(const FrameColumn& values, std::size_t first, std::size_t n, Code* codes) const {
  double numbers[kRowsAtOnce + kCodePadding];
  for (std::size_t begin = 0; begin < n; begin += kRowsAtOnce) {
    const std::size_t part = std::min(kRowsAtOnce, n - begin);
    copy_numbers(values, first + begin, part, numbers);
    std::fill(numbers + part, numbers + part + kCodePadding, 0.0);
    code_numbers(numbers, part, codes + begin);
  }
}

template void ColumnCoder::code_rows(const FrameColumn&, std::size_t, std::size_t, std::uint16_t*) const;
template void ColumnCoder::code_rows(const FrameColumn&, std::size_t, std::size_t, std::uint32_t*) const;

}  // namespace tw
