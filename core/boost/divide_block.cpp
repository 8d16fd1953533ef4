#include "boost/divide_block.hpp"

#include <bit>  // for popcount

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tw {
namespace {

template <class Code>
std::uint32_t find_plain(const Code* code, const std::uint8_t* side, const std::uint32_t* rows, std::uint32_t n,
                         std::uint16_t* branch) {
  std::uint32_t second = 0;
  for (std::uint32_t i = 0; i < n; i += 16) {
    std::uint32_t bits = 0;
    for (std::uint32_t k = 0; k < 16 && i + k < n; ++k)
      bits |= static_cast<std::uint32_t>(side[code[rows[i + k]]]) << k;
    branch[i / 16] = static_cast<std::uint16_t>(bits);
    second += static_cast<std::uint32_t>(std::popcount(bits));
  }
  return second;
}

template <class Word>
void move_plain(const std::uint32_t* rows, const Word* words, std::uint32_t n, const std::uint16_t* branch,
                BranchEnds<Word> to) {
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t side = branch[i / 16] >> (i % 16) & 1;
    *to.rows[side]++ = rows[i];
    *to.words[side]++ = words[i];
  }
}

#if defined(__x86_64__)
// last: the last row whose code can be fetched as four bytes.
__attribute__((target("avx512f"))) std::uint32_t find_avx512(const std::uint8_t* code, std::int64_t last,
                                                             const std::uint8_t* side, const std::uint32_t* rows,
                                                             std::uint32_t n, std::uint16_t* branch) {
  const __m512i byte = _mm512_set1_epi32(0xff);
  std::uint32_t second = 0, i = 0;
  for (; i + 16 <= n && rows[i + 15] <= last; i += 16) {
    const __m512i row = _mm512_loadu_si512(rows + i);
    const __m512i codes = _mm512_and_si512(_mm512_i32gather_epi32(row, code, 1), byte);
    const __mmask16 bits = _mm512_test_epi32_mask(_mm512_i32gather_epi32(codes, side, 1), byte);
    branch[i / 16] = bits;
    second += static_cast<std::uint32_t>(std::popcount(static_cast<unsigned>(bits)));
  }
  return second + find_plain(code, side, rows + i, n - i, branch + i / 16);
}

__attribute__((target("avx512f"))) void put_words(PackedWord*& to, const PackedWord* words, std::uint32_t bits) {
  for (int half = 0; half < 2; ++half) {
    const auto mask = static_cast<__mmask8>(bits >> (8 * half));
    const auto count = std::popcount(static_cast<unsigned>(mask));
    const __m512i taken = _mm512_maskz_compress_epi64(mask, _mm512_loadu_si512(words + 8 * half));
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>((1u << count) - 1), taken);
    to += count;
  }
}

__attribute__((target("avx512f"))) void move_avx512(const std::uint32_t* rows, const PackedWord* words, std::uint32_t n,
                                                    const std::uint16_t* branch, BranchEnds<PackedWord> to) {
  std::uint32_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i row = _mm512_loadu_si512(rows + i);
    for (int side = 0; side < 2; ++side) {
      const std::uint32_t bits = (side ? branch[i / 16] : ~branch[i / 16]) & 0xffffu;
      const auto count = std::popcount(bits);
      const __m512i taken = _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), row);
      _mm512_mask_storeu_epi32(to.rows[side], static_cast<__mmask16>((1u << count) - 1), taken);
      to.rows[side] += count;
      put_words(to.words[side], words + i, bits);
    }
  }
  move_plain(rows + i, words + i, n - i, branch + i / 16, to);
}

const bool has_avx512 = __builtin_cpu_supports("avx512f");
#endif

}  // namespace

std::uint32_t find_branches(const std::uint8_t* code, std::uint32_t n_codes, const std::uint8_t* side,
                            const std::uint32_t* rows, std::uint32_t n, std::uint16_t* branch) {
#if defined(__x86_64__)
  // Gathering takes signed row numbers and reads three bytes too many.
  if (has_avx512 && n_codes < 0x7fffffff) return find_avx512(code, std::int64_t{n_codes} - 4, side, rows, n, branch);
#endif
  return find_plain(code, side, rows, n, branch);
}

std::uint32_t find_branches(const std::uint32_t* code, std::uint32_t, const std::uint8_t* side,
                            const std::uint32_t* rows, std::uint32_t n, std::uint16_t* branch) {
  return find_plain(code, side, rows, n, branch);
}

void move_rows(const std::uint32_t* rows, const PackedWord* words, std::uint32_t n, const std::uint16_t* branch,
               BranchEnds<PackedWord> to) {
#if defined(__x86_64__)
  if (has_avx512) return move_avx512(rows, words, n, branch, to);
#endif
  move_plain(rows, words, n, branch, to);
}

void move_rows(const std::uint32_t* rows, const DoubleWord* words, std::uint32_t n, const std::uint16_t* branch,
               BranchEnds<DoubleWord> to) {
  move_plain(rows, words, n, branch, to);
}

}  // namespace tw
