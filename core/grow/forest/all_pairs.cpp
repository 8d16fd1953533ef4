#include "grow/forest/all_pairs.hpp"

#include <algorithm>  // for max
#include <cstring>    // for memcpy

#include "base/vectors.hpp"

namespace tw {
namespace {

// Of 32 bytes, and numbers with a sign: the compiler makes lonely numbers of what the processor cannot compare at once.
typedef std::int32_t Words __attribute__((vector_size(32)));
typedef std::int64_t Longs __attribute__((vector_size(32)));
typedef std::uint16_t Shorts __attribute__((vector_size(32)));
typedef std::uint32_t UnsignedWords __attribute__((vector_size(32)));
typedef std::uint32_t FewWords __attribute__((vector_size(16)));
#define TW_INLINE inline __attribute__((always_inline))  // takes over the instruction set of its caller

// For kVectors · 8 rows at a time: what is fetched of row j serves all of them. Codes have 16 bits.
template <int kVectors>
TW_INLINE void sum_words(const std::uint32_t* own_codes, const std::uint32_t* code, const std::uint32_t* word,
                         std::uint32_t n, std::uint32_t* sums) {
  Words own[kVectors];
  UnsignedWords sum[kVectors];
  for (int v = 0; v < kVectors; ++v) std::memcpy(&own[v], own_codes + 8 * v, sizeof own[v]), sum[v] = UnsignedWords{};
  for (std::uint32_t j = 0; j < n; ++j) {
    const Words below = Words{} + (static_cast<std::int32_t>(code[j]) - 1);
    const UnsignedWords what = UnsignedWords{} + word[j];
    for (int v = 0; v < kVectors; ++v) sum[v] += reinterpret_cast<UnsignedWords>(own[v] > below) & what;
  }
  for (int v = 0; v < kVectors; ++v) std::memcpy(sums + 8 * v, &sum[v], sizeof sum[v]);
}

template <int kVectors>
TW_INLINE void sum_longs(const std::uint32_t* own_codes, const std::uint32_t* code, const std::int64_t* first,
                         const std::int64_t* second, std::uint32_t n, std::int64_t* first_sums,
                         std::int64_t* second_sums) {
  Longs own[kVectors], sum[kVectors], other_sum[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    FewWords narrow;
    std::memcpy(&narrow, own_codes + 4 * v, sizeof narrow);
    own[v] = __builtin_convertvector(narrow, Longs);
    sum[v] = other_sum[v] = Longs{};
  }
  for (std::uint32_t j = 0; j < n; ++j) {
    const Longs below = Longs{} + (static_cast<std::int64_t>(code[j]) - 1), one = Longs{} + first[j],
                two = Longs{} + second[j];
    for (int v = 0; v < kVectors; ++v) {
      const Longs at_most = own[v] > below;
      sum[v] += at_most & one;
      other_sum[v] += at_most & two;
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    std::memcpy(first_sums + 4 * v, &sum[v], sizeof sum[v]);
    std::memcpy(second_sums + 4 * v, &other_sum[v], sizeof other_sum[v]);
  }
}

}  // namespace

void sums_up_to(const std::uint32_t* code, const std::uint32_t* word, std::uint32_t n, std::uint32_t* sums) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    std::uint32_t at = 0;
    for (; at < n && n - at > 16; at += 32) sum_words<4>(code + at, code, word, n, sums + at);
    for (; at < n && n - at > 8; at += 16) sum_words<2>(code + at, code, word, n, sums + at);
    if (at < n) sum_words<1>(code + at, code, word, n, sums + at);
  });
}

void sums_up_to(const std::uint32_t* code, const std::int64_t* first, const std::int64_t* second, std::uint32_t n,
                std::int64_t* first_sums, std::int64_t* second_sums) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    std::uint32_t at = 0;
    for (; at < n && n - at > 8; at += 16)
      sum_longs<4>(code + at, code, first, second, n, first_sums + at, second_sums + at);
    for (; at < n && n - at > 4; at += 8)
      sum_longs<2>(code + at, code, first, second, n, first_sums + at, second_sums + at);
    if (at < n) sum_longs<1>(code + at, code, first, second, n, first_sums + at, second_sums + at);
  });
}

void ranks_of(const std::uint32_t* word, std::uint32_t n, std::uint32_t* ranks) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    constexpr std::uint32_t kSign = std::uint32_t{1} << 31;  // taken away, words are in the order of signed numbers
    for (std::uint32_t at = 0; at < n; at += 8) {
      UnsignedWords unsigned_own;
      std::memcpy(&unsigned_own, word + at, sizeof unsigned_own);
      const Words own = reinterpret_cast<Words>(unsigned_own ^ kSign);
      Words sum = {};
      for (std::uint32_t j = 0; j < n; ++j) sum -= own > static_cast<std::int32_t>(word[j] ^ kSign);
      std::memcpy(ranks + at, &sum, sizeof sum);
    }
  });
}

namespace {

// The sum of 16 numbers of 16 bits.
TW_INLINE std::uint32_t sum_of_lanes(Shorts lanes) {
  const UnsignedWords pairs = reinterpret_cast<UnsignedWords>(lanes), sums = (pairs & 0xffff) + (pairs >> 16);
  std::uint32_t each[8], total = 0;
  std::memcpy(each, &sums, sizeof each);
  for (const std::uint32_t sum : each) total += sum;
  return total;
}

}  // namespace

// 16 rows at a time; the sums of 16 bits are emptied before they can run over.
CountSums counts_up_to(const std::uint16_t* codes, const std::uint16_t* words, std::uint32_t n, std::uint32_t cut) {
  return with_widest_vectors([=]() TW_INLINE_LOOP {
    constexpr std::uint32_t kLanes = 16, kRun = 128 * kLanes;  // 128 counts of at most 500
    const Shorts place = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    CountSums total{0, 0, 0};
    for (std::uint32_t begin = 0; begin < n; begin += kRun) {
      Shorts a = {}, b = {}, rows = {};
      const std::uint32_t end = n - begin < kRun ? n : begin + kRun;
      for (std::uint32_t i = begin; i < end; i += kLanes) {
        Shorts code, word;
        std::memcpy(&code, codes + i, sizeof code), std::memcpy(&word, words + i, sizeof word);
        Shorts here = reinterpret_cast<Shorts>(code - 1 < static_cast<std::uint16_t>(cut));
        if (end - i < kLanes) here &= reinterpret_cast<Shorts>(place < static_cast<std::uint16_t>(end - i));
        const Shorts count = (word >> 1) & here;
        a += count, b += count & (Shorts{} - (word & 1)), rows -= here;
      }
      total.a += sum_of_lanes(a), total.b += sum_of_lanes(b), total.rows += sum_of_lanes(rows);
    }
    return total;
  });
}

void halves_of(const std::uint32_t* words, std::uint32_t n, double* low, double* high) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::uint32_t i = 0; i < n; ++i) {
      low[i] = static_cast<double>(static_cast<std::int32_t>(words[i] & 0xffff));
      high[i] = static_cast<double>(static_cast<std::int32_t>(words[i] >> 16));
    }
  });
}

double quadratic_scores(const CutSums& cuts, double mean, double whole, double* scores) {
  return with_widest_vectors([&]() TW_INLINE_LOOP {
    double largest = -1;
    for (std::uint32_t i = 0; i < cuts.n; ++i) {
      const double a = cuts.a[i], d = cuts.b[i] - mean * a, product = a * (whole - a);
      const bool is_cut = cuts.code[i] - 1 < cuts.highest - 1 && product > 0;  // code 0 becomes the largest number
      const double score = d * d / (product > 0 ? product : 1);
      scores[i] = is_cut ? score : -1;
      largest = std::max(largest, scores[i]);
    }
    return largest;
  });
}

}  // namespace tw
