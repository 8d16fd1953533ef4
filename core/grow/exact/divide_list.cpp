#include "grow/exact/divide_list.hpp"

#include <cstring>  // for memcpy

#include "base/vectors.hpp"
#include "grow/exact/lists.hpp"

namespace tw {
namespace {

template <class Word>
void divide_plain(Word* list, std::size_t n, const std::uint32_t* bits, std::uint32_t flip, Word* spare) {
  Word *first = list, *second = spare;
  for (std::size_t i = 0; i < n; ++i) {
    const Word word = list[i];
    const std::uint32_t row = row_of(word), bit = ((bits[row >> 5] >> (row & 31)) & 1) ^ flip;
    *first = word;
    *second = word;
    first += 1 - bit;
    second += bit;
  }
  std::memcpy(first, spare, static_cast<std::size_t>(second - spare) * sizeof(Word));
}

#if defined(__x86_64__)
// Sixteen words at a time: look the bits up with a gather, then squeeze each side together.
TW_AVX512 void divide_avx512(std::uint32_t* list, std::size_t n, const std::uint32_t* bits, std::uint32_t flip,
                             std::uint32_t* spare) {
  std::uint32_t *first = list, *second = spare;
  const __m512i row_mask = _mm512_set1_epi32(0xffff), low_five = _mm512_set1_epi32(31), one = _mm512_set1_epi32(1);
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i words = _mm512_loadu_si512(list + i);
    const __m512i rows = _mm512_and_si512(words, row_mask);
    const __m512i chunks = _mm512_i32gather_epi32(_mm512_srli_epi32(rows, 5), bits, 4);
    const __m512i shifted = _mm512_srlv_epi32(chunks, _mm512_and_si512(rows, low_five));
    const __mmask16 goes_second = _mm512_test_epi32_mask(shifted, one) ^ (flip ? 0xffff : 0);
    const auto n_second = static_cast<unsigned>(__builtin_popcount(goes_second));
    // Writing 16 words is safe: `first` never runs ahead of the words already read, `spare` has room for 16 more.
    _mm512_storeu_si512(first, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~goes_second), words));
    _mm512_storeu_si512(second, _mm512_maskz_compress_epi32(goes_second, words));
    first += 16 - n_second;
    second += n_second;
  }
  for (; i < n; ++i) {
    const std::uint32_t word = list[i], row = word & 0xffffu, bit = ((bits[row >> 5] >> (row & 31)) & 1) ^ flip;
    *first = word;
    *second = word;
    first += 1 - bit;
    second += bit;
  }
  std::memcpy(first, spare, static_cast<std::size_t>(second - spare) * sizeof(std::uint32_t));
}

#endif

}  // namespace

void divide_list(std::uint32_t* list, std::size_t n, const std::uint32_t* bits, bool marked_first,
                 std::uint32_t* spare) {
#if defined(__x86_64__)
  if (has_avx512() && n >= 16) return divide_avx512(list, n, bits, marked_first, spare);
#endif
  divide_plain(list, n, bits, marked_first, spare);
}

void divide_list(std::uint64_t* list, std::size_t n, const std::uint32_t* bits, bool marked_first,
                 std::uint64_t* spare) {
  divide_plain(list, n, bits, marked_first, spare);
}

}  // namespace tw
