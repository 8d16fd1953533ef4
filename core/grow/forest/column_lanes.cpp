#include "grow/forest/column_lanes.hpp"

#include <cstring>  // for memcpy

#include "base/vectors.hpp"

namespace tw {

namespace {

typedef std::uint16_t Shorts __attribute__((vector_size(32)));
typedef std::uint32_t Words __attribute__((vector_size(64)));
constexpr std::uint32_t kAhead = 8;  // rows to be fetched meanwhile
constexpr std::uint32_t kRun = 128;  // rows whose counts of at most 500 add up to less than 2^16

void pick_plain(const RowsOfCodes& table, const LaneColumns& columns, const std::uint32_t* rows, std::uint32_t n,
                std::uint16_t* to) {
  for (std::uint32_t i = 0; i < n; ++i, to += kLanes) {
    const std::uint16_t* from = table.base + rows[i] * table.row_step;
    if (i + kAhead < n) __builtin_prefetch(table.base + rows[i + kAhead] * table.row_step);
    for (std::uint32_t k = 0; k < columns.count; ++k) to[k] = from[columns.of[k]];
    for (std::uint32_t k = columns.count; k < kLanes; ++k) to[k] = from[0];
  }
}

#if defined(__x86_64__)
constexpr std::size_t kMostShuffled = 64;  // columns: two vectors hold a row

// A row is two vectors at most, and one shuffle picks the columns out of them.
TW_AVX512 void pick_shuffled(const RowsOfCodes& table, const LaneColumns& columns, const std::uint32_t* rows,
                             std::uint32_t n, std::uint16_t* to) {
  const std::size_t p = table.n_columns;
  const auto first = static_cast<__mmask32>(p >= 32 ? 0xffffffffu : (1u << p) - 1);
  const auto second = static_cast<__mmask32>(p >= 64 ? 0xffffffffu : p > 32 ? (1u << (p - 32)) - 1 : 0);
  const __m512i which = _mm512_castsi256_si512(_mm512_cvtepi32_epi16(_mm512_load_si512(columns.of)));
  for (std::uint32_t i = 0; i < n; ++i, to += kLanes) {
    const std::uint16_t* from = table.base + rows[i] * table.row_step;
    if (i + kAhead < n) {
      const std::uint16_t* next = table.base + rows[i + kAhead] * table.row_step;
      __builtin_prefetch(next), __builtin_prefetch(next + p - 1);
    }
    const __m512i low = _mm512_maskz_loadu_epi16(first, from), high = _mm512_maskz_loadu_epi16(second, from + 32);
    const __m512i picked = _mm512_permutex2var_epi16(low, which, high);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_castsi512_si256(picked));
  }
}
#endif

LaneRanges ranges_of(const std::uint16_t* picked, std::uint32_t n) {
  return with_widest_vectors([=]() TW_INLINE_LOOP {
    Shorts least_before = Shorts{} - 1, least = Shorts{} - 1, highest = {};
    for (std::uint32_t i = 0; i < n; ++i) {
      Shorts code;
      std::memcpy(&code, picked + i * kLanes, sizeof code);
      const Shorts before = code - 1;  // missing becomes the largest of all
      least_before = before < least_before ? before : least_before;
      least = code < least ? code : least;
      highest = code > highest ? code : highest;
    }
    LaneRanges ranges;
    std::memcpy(ranges.least_before, &least_before, sizeof least_before);
    std::memcpy(ranges.least, &least, sizeof least);
    std::memcpy(ranges.highest, &highest, sizeof highest);
    return ranges;
  });
}

}  // namespace

LaneRanges pick_columns(const RowsOfCodes& table, const LaneColumns& columns, const std::uint32_t* rows,
                        std::uint32_t n, std::uint16_t* to) {
#if defined(__x86_64__)
  if (table.n_columns <= kMostShuffled && has_avx512()) {
    pick_shuffled(table, columns, rows, n, to);
    return ranges_of(to, n);
  }
#endif
  pick_plain(table, columns, rows, n, to);
  return ranges_of(to, n);
}

// The sums of 16 bits are emptied before they can run over.
void sums_of_lanes(const std::uint16_t* picked, const std::uint16_t* words, std::uint32_t n, const LaneCuts& cuts,
                   LaneSums& sums) {
  with_widest_vectors([&]() TW_INLINE_LOOP {
    Shorts cut, from, reach, open = {};
    std::memcpy(&cut, cuts.cut, sizeof cut), std::memcpy(&from, cuts.from, sizeof from);
    std::memcpy(&reach, cuts.reach, sizeof reach);
    Words all_a = {}, all_b = {}, all_rows = {};
    for (std::uint32_t begin = 0; begin < n; begin += kRun) {
      const std::uint32_t end = n - begin < kRun ? n : begin + kRun;
      Shorts a = {}, b = {}, rows = {};
      for (std::uint32_t i = begin; i < end; ++i) {
        Shorts code;
        std::memcpy(&code, picked + i * kLanes, sizeof code);
        const Shorts before = code - 1, here = reinterpret_cast<Shorts>(before < cut);
        const auto count = static_cast<std::uint16_t>(words[i] >> 1);
        const auto of_class_1 = static_cast<std::uint16_t>(count & (0 - (words[i] & 1)));
        a += here & count, b += here & of_class_1, rows -= here;
        open |= reinterpret_cast<Shorts>(before - from < reach);
      }
      all_a += __builtin_convertvector(a, Words), all_b += __builtin_convertvector(b, Words);
      all_rows += __builtin_convertvector(rows, Words);
    }
    std::memcpy(sums.a, &all_a, sizeof all_a), std::memcpy(sums.b, &all_b, sizeof all_b);
    std::memcpy(sums.rows, &all_rows, sizeof all_rows), std::memcpy(sums.any_open, &open, sizeof open);
  });
}

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
