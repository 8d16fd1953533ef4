#include "grow/forest/lists/key_lanes.hpp"

#include <array>    // for array
#include <cstring>  // for memcpy
#include <utility>  // for pair
#include <vector>   // for vector

#include "base/vectors.hpp"

namespace tw {
namespace {

using Network = std::vector<std::pair<std::uint8_t, std::uint8_t>>;

// Batcher's merge exchange for n rows (Knuth, volume 3, 5.2.2 M): pairs of places to be put in order one after another.
Network network_for(int n) {
  Network pairs;
  int top = 1;
  while (2 * top < n) top *= 2;
  for (int p = top; p > 0; p /= 2)
    for (int q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
      for (int i = 0; i + d < n; ++i)
        if ((i & p) == r) pairs.emplace_back(static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i + d));
      if (q == p) break;
    }
  return pairs;
}

const Network& network_of(std::uint32_t n) {
  static const std::array<Network, kMostKeyRows + 1> made = [] {
    std::array<Network, kMostKeyRows + 1> all;
    for (std::uint32_t n_rows = 2; n_rows <= kMostKeyRows; ++n_rows)
      all[n_rows] = network_for(static_cast<int>(n_rows));
    return all;
  }();
  return made[n];
}

typedef std::uint32_t Keys __attribute__((vector_size(32)));

template <int kGroups>
inline TW_INLINE_LOOP void exchange(KeyLanes& lanes, const Network& network) {
  for (const auto& [first, second] : network)
    for (int g = 0; g < kGroups; ++g) {
      Keys a, b;
      std::memcpy(&a, lanes.keys[first] + g * kKeyLanes, sizeof a);
      std::memcpy(&b, lanes.keys[second] + g * kKeyLanes, sizeof b);
      const Keys low = a < b ? a : b, high = a < b ? b : a;
      std::memcpy(lanes.keys[first] + g * kKeyLanes, &low, sizeof low);
      std::memcpy(lanes.keys[second] + g * kKeyLanes, &high, sizeof high);
    }
}

void score_plain(KeyLanes& lanes, const std::int32_t* words, std::uint32_t first, std::uint32_t last, float whole) {
  for (std::uint32_t k = 0; k < lanes.n_groups * kKeyLanes; ++k) {
    std::int32_t sum = 0;
    float largest = 0;
    for (std::uint32_t i = 0; i < last; ++i) {
      sum += words[lanes.row(i, k)];
      if (i < first || lanes.code(i, k) == lanes.code(i + 1, k)) continue;
      const auto distance = static_cast<float>(sum >> kKeyWeightBits);
      const auto weight = static_cast<float>(sum & (kMostKeyWeight - 1));
      const float score = distance * distance / (weight * (whole - weight));
      largest = score > largest ? score : largest;
    }
    lanes.largest[k] = largest;
  }
}

#if defined(__x86_64__)
// b where the sign of `by` is set, else a.
TW_AVX2 inline __m256i blend(const __m256i& a, const __m256i& b, const __m256i& by) {
  return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(by)));
}

// words[place] for eight places; the words of up to 32 rows fill four vectors.
TW_AVX2 inline __m256i look_up(__m256i place, const __m256i* words, std::uint32_t n) {
  __m256i found = _mm256_permutevar8x32_epi32(words[0], place);
  if (n <= 8) return found;
  const __m256i eight = _mm256_slli_epi32(place, 28);  // that bit becomes the sign
  found = blend(found, _mm256_permutevar8x32_epi32(words[1], place), eight);
  if (n <= 16) return found;
  const __m256i other =
      blend(_mm256_permutevar8x32_epi32(words[2], place), _mm256_permutevar8x32_epi32(words[3], place), eight);
  return blend(found, other, _mm256_slli_epi32(place, 27));
}

TW_AVX2 void score_avx2(KeyLanes& lanes, const std::int32_t* words, std::uint32_t first, std::uint32_t last,
                        float whole) {
  __m256i rows[4];
  for (int v = 0; v < 4; ++v) rows[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 8 * v));
  const __m256 all = _mm256_set1_ps(whole);
  const __m256i weight_bits = _mm256_set1_epi32(kMostKeyWeight - 1), zero = _mm256_setzero_si256();
  for (std::uint32_t lane = 0; lane < lanes.n_groups * kKeyLanes; lane += kKeyLanes) {
    __m256i sum = zero;
    __m256 largest = _mm256_setzero_ps();
    __m256i key = _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes.keys[0] + lane));
    for (std::uint32_t i = 0; i < last; ++i) {
      const __m256i next = _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes.keys[i + 1] + lane));
      sum = _mm256_add_epi32(sum, look_up(key, rows, lanes.n_rows));
      const __m256i tied = _mm256_cmpeq_epi32(_mm256_srli_epi32(_mm256_xor_si256(key, next), 16), zero);
      key = next;
      if (i < first) continue;
      const __m256 distance = _mm256_cvtepi32_ps(_mm256_srai_epi32(sum, kKeyWeightBits));
      const __m256 weight = _mm256_cvtepi32_ps(_mm256_and_si256(sum, weight_bits));
      const __m256 score =
          _mm256_div_ps(_mm256_mul_ps(distance, distance), _mm256_mul_ps(weight, _mm256_sub_ps(all, weight)));
      largest = _mm256_max_ps(largest, _mm256_andnot_ps(_mm256_castsi256_ps(tied), score));
    }
    _mm256_store_ps(lanes.largest + lane, largest);
  }
}
#endif

}  // namespace

void widen_codes(const std::uint16_t* codes, std::uint32_t n, std::uint32_t row, std::uint32_t* keys) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::uint32_t k = 0; k < n; ++k) keys[k] = static_cast<std::uint32_t>(codes[k]) << 16 | row;
  });
}

void sort_keys(KeyLanes& lanes) {
  const Network& network = network_of(lanes.n_rows);
  with_widest_vectors([&]() TW_INLINE_LOOP {
    if (lanes.n_groups == 1) return exchange<1>(lanes, network);
    if (lanes.n_groups == 2) return exchange<2>(lanes, network);
    if (lanes.n_groups == 3) return exchange<3>(lanes, network);
    exchange<4>(lanes, network);
  });
}

void score_keys(KeyLanes& lanes, const std::int32_t* words, std::uint32_t first, std::uint32_t last, float whole) {
#if defined(__x86_64__)
  if (has_avx2()) return score_avx2(lanes, words, first, last, whole);
#endif
  score_plain(lanes, words, first, last, whole);
}

}  // namespace tw
