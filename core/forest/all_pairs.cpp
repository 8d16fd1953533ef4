#include "forest/all_pairs.hpp"

#include <algorithm>  // for max
#include <cstring>    // for memcpy

#include "forest/vector_forms.hpp"

namespace tw {
namespace {

typedef std::uint32_t Words __attribute__((vector_size(64)));
typedef std::int64_t Longs __attribute__((vector_size(64)));
typedef std::uint32_t HalfWords __attribute__((vector_size(32)));

}  // namespace

TW_VECTOR_FORMS void sums_up_to(const std::uint32_t* code, const std::uint32_t* word, std::uint32_t n,
                                std::uint32_t* sums) {
  for (std::uint32_t at = 0; at < n; at += 16) {
    Words own, sum = {};
    std::memcpy(&own, code + at, sizeof own);
    for (std::uint32_t j = 0; j < n; ++j) {
      const Words other = own * 0 + code[j];
      sum += reinterpret_cast<Words>(own >= other) & word[j];
    }
    std::memcpy(sums + at, &sum, sizeof sum);
  }
}

TW_VECTOR_FORMS void sums_up_to(const std::uint32_t* code, const std::int64_t* first, const std::int64_t* second,
                                std::uint32_t n, std::int64_t* first_sums, std::int64_t* second_sums) {
  for (std::uint32_t at = 0; at < n; at += 8) {
    HalfWords narrow;
    std::memcpy(&narrow, code + at, sizeof narrow);
    const Longs own = __builtin_convertvector(narrow, Longs);
    Longs sum = {}, other_sum = {};
    for (std::uint32_t j = 0; j < n; ++j) {
      const Longs at_most = own >= static_cast<std::int64_t>(code[j]);
      sum += at_most & first[j];
      other_sum += at_most & second[j];
    }
    std::memcpy(first_sums + at, &sum, sizeof sum);
    std::memcpy(second_sums + at, &other_sum, sizeof other_sum);
  }
}

TW_VECTOR_FORMS void ranks_of(const std::uint32_t* word, std::uint32_t n, std::uint32_t* ranks) {
  for (std::uint32_t at = 0; at < n; at += 16) {
    Words own, sum = {};
    std::memcpy(&own, word + at, sizeof own);
    for (std::uint32_t j = 0; j < n; ++j) sum -= reinterpret_cast<Words>(own > word[j]);
    std::memcpy(ranks + at, &sum, sizeof sum);
  }
}

TW_VECTOR_FORMS CountSums counts_up_to(const std::uint16_t* codes, const std::uint16_t* words, std::uint32_t n,
                                       std::uint32_t cut) {
  std::uint32_t a = 0, b = 0, rows = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t here = static_cast<std::uint32_t>(codes[i]) - 1 < cut, count = words[i] >> 1;
    a += here ? count : 0;
    b += here & words[i] ? count : 0;
    rows += here;
  }
  return {a, b, rows};
}

TW_VECTOR_FORMS void halves_of(const std::uint32_t* words, std::uint32_t n, double* low, double* high) {
  for (std::uint32_t i = 0; i < n; ++i) {
    low[i] = static_cast<double>(static_cast<std::int32_t>(words[i] & 0xffff));
    high[i] = static_cast<double>(static_cast<std::int32_t>(words[i] >> 16));
  }
}

TW_VECTOR_FORMS double quadratic_scores(const CutSums& cuts, double mean, double whole, double* scores) {
  double largest = -1;
  for (std::uint32_t i = 0; i < cuts.n; ++i) {
    const double a = cuts.a[i], d = cuts.b[i] - mean * a, product = a * (whole - a);
    const bool is_cut = cuts.code[i] - 1 < cuts.highest - 1 && product > 0;  // code 0 becomes the largest number
    const double score = d * d / (product > 0 ? product : 1);
    scores[i] = is_cut ? score : -1;
    largest = std::max(largest, scores[i]);
  }
  return largest;
}

}  // namespace tw
