#include "boost/divide_block.hpp"

#include <bit>  // for popcount

#include "base/vectors.hpp"

namespace tw {
namespace {

template <class Code>
struct BySide {
  const Code* code;
  const std::uint8_t* side;

  std::uint32_t operator()(std::uint32_t row) const { return side[code[row]]; }
};

// Missing is 0: taking off 1 makes it the largest number, and every other code keeps its place.
struct ByCut {
  const std::uint8_t* code;
  std::uint32_t less, last;

  ByCut(const std::uint8_t* code, CodeCut cut) : code(code), less(cut.missing_second), last(cut.last - less) {}
  std::uint32_t operator()(std::uint32_t row) const { return code[row] - less > last; }
};

template <class Branch>
std::uint32_t find_plain(Branch branch_of, const std::uint32_t* rows, std::uint32_t n, std::uint16_t* branch) {
  std::uint32_t second = 0;
  for (std::uint32_t i = 0; i < n; i += 16) {
    std::uint32_t bits = 0;
    for (std::uint32_t k = 0; k < 16 && i + k < n; ++k) bits |= branch_of(rows[i + k]) << k;
    branch[i / 16] = static_cast<std::uint16_t>(bits);
    second += static_cast<std::uint32_t>(std::popcount(bits));
  }
  return second;
}

void move_plain(const std::uint32_t* rows, std::uint32_t n, const std::uint16_t* branch, BranchEnds to) {
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool second = branch[i / 16] >> (i % 16) & 1;
    *(second ? to.second : to.first)++ = rows[i];
  }
}

#if defined(__x86_64__)
TW_AVX512 __mmask16 bits_of(const BySide<std::uint8_t>& by, __m512i rows) {
  const __m512i byte = _mm512_set1_epi32(0xff);
  const __m512i codes = _mm512_and_si512(_mm512_i32gather_epi32(rows, by.code, 1), byte);
  return _mm512_test_epi32_mask(_mm512_i32gather_epi32(codes, by.side, 1), byte);
}

TW_AVX512 __mmask16 bits_of(const ByCut& by, __m512i rows) {
  const __m512i codes = _mm512_and_si512(_mm512_i32gather_epi32(rows, by.code, 1), _mm512_set1_epi32(0xff));
  const __m512i less = _mm512_set1_epi32(static_cast<int>(by.less));
  return _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(codes, less), _mm512_set1_epi32(static_cast<int>(by.last)));
}

// Gathering reads three bytes too many, so the last rows of the column are left to the plain form.
template <class Branch>
TW_AVX512 std::uint32_t find_avx512(const Branch& branch_of, std::uint32_t n_codes, const std::uint32_t* rows,
                                    std::uint32_t n, std::uint16_t* branch) {
  const std::int64_t last = std::int64_t{n_codes} - 4;
  std::uint32_t second = 0, i = 0;
  for (; i + 16 <= n && rows[i + 15] <= last; i += 16) {
    const __mmask16 bits = bits_of(branch_of, _mm512_loadu_si512(rows + i));
    branch[i / 16] = bits;
    second += static_cast<std::uint32_t>(std::popcount(static_cast<unsigned>(bits)));
  }
  return second + find_plain(branch_of, rows + i, n - i, branch + i / 16);
}

TW_AVX512 void move_avx512(const std::uint32_t* rows, std::uint32_t n, const std::uint16_t* branch, BranchEnds to) {
  const auto put = [](std::uint32_t*& end, __m512i row, std::uint32_t bits) TW_AVX512 {
    const auto count = std::popcount(bits);
    const __m512i taken = _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), row);
    _mm512_mask_storeu_epi32(end, static_cast<__mmask16>((1u << count) - 1), taken);
    end += count;
  };
  std::uint32_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i row = _mm512_loadu_si512(rows + i);
    put(to.first, row, ~branch[i / 16] & 0xffffu);
    put(to.second, row, branch[i / 16]);
  }
  move_plain(rows + i, n - i, branch + i / 16, to);
}

#endif

template <class Branch>
std::uint32_t find(const Branch& branch_of, [[maybe_unused]] std::uint32_t n_codes, const std::uint32_t* rows,
                   std::uint32_t n, std::uint16_t* branch) {
#if defined(__x86_64__)
  if (has_avx512() && n_codes < 0x7fffffff)  // gathering takes signed numbers
    return find_avx512(branch_of, n_codes, rows, n, branch);
#endif
  return find_plain(branch_of, rows, n, branch);
}

}  // namespace

std::uint32_t find_branches(const std::uint8_t* code, std::uint32_t n_codes, CodeCut cut, const std::uint32_t* rows,
                            std::uint32_t n, std::uint16_t* branch) {
  return find(ByCut(code, cut), n_codes, rows, n, branch);
}

std::uint32_t find_branches(const std::uint8_t* code, std::uint32_t n_codes, const std::uint8_t* side,
                            const std::uint32_t* rows, std::uint32_t n, std::uint16_t* branch) {
  return find(BySide<std::uint8_t>{code, side}, n_codes, rows, n, branch);
}

std::uint32_t find_branches(const std::uint32_t* code, const std::uint8_t* side, const std::uint32_t* rows,
                            std::uint32_t n, std::uint16_t* branch) {
  return find_plain(BySide<std::uint32_t>{code, side}, rows, n, branch);
}

void move_rows(const std::uint32_t* rows, std::uint32_t n, const std::uint16_t* branch, BranchEnds to) {
#if defined(__x86_64__)
  if (has_avx512()) return move_avx512(rows, n, branch, to);
#endif
  move_plain(rows, n, branch, to);
}

}  // namespace tw
