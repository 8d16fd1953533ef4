// Rows in lockstep: a step of one row waits for memory, so many rows take their steps side by side. Every few levels
// the rows that have arrived leave and the others close ranks, so that nobody waits for the deepest row.
#include "predict/walk_flat.hpp"

#include <algorithm>  // for min

#include "base/vectors.hpp"

namespace tw {
namespace {

constexpr std::size_t kBatch = 512;
constexpr int kLevelsPerRound = 4;

struct Walkers {
  std::int32_t node[kBatch + 16];
  std::int32_t row[kBatch + 16];
};

template <class Number>
const Number* thresholds(const FlatTree& tree) {
  if constexpr (sizeof(Number) == 4)
    return tree.threshold_single.data();
  else
    return tree.threshold.data();
}

template <class Number>
std::int32_t step(const FlatTree& tree, const Number* threshold, const Number* x, std::int32_t node) {
  const std::int32_t meta = tree.meta[node] & 0x7fffffff;
  const Number value = x[meta & tree.column_mask()];
  const bool missing_right = meta >> tree.column_bits & 1;
  const bool right = value > threshold[node] || (value != value && missing_right);
  return (meta >> (tree.column_bits + 1)) + right;
}

// A round for any processor; returns how many rows still walk.
template <class Number>
std::size_t round_plain(const FlatTree& tree, const Number* rows, std::size_t stride, Walkers& w, std::size_t n,
                        std::int32_t* leaf_of) {
  const Number* threshold = thresholds<Number>(tree);
  for (int level = 0; level < kLevelsPerRound; ++level)
    for (std::size_t i = 0; i < n; ++i) w.node[i] = step(tree, threshold, rows + w.row[i] * stride, w.node[i]);
  std::size_t left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t node = w.node[i], row = w.row[i];
    leaf_of[row] = tree.stored_node[node];
    w.node[left] = node, w.row[left] = row;
    left += tree.meta[node] >= 0;
  }
  return left;
}

#if defined(__x86_64__)
TW_AVX512 std::size_t round_avx512(const FlatTree& tree, const float* rows, std::size_t stride, Walkers& w,
                                   std::size_t n, std::int32_t* leaf_of) {
  const float* threshold = tree.threshold_single.data();
  const std::int32_t* meta_of = tree.meta.data();
  const __m512i column_mask = _mm512_set1_epi32(tree.column_mask()), no_sign = _mm512_set1_epi32(0x7fffffff);
  const __m512i right_bit = _mm512_set1_epi32(1 << tree.column_bits),
                row_length = _mm512_set1_epi32(static_cast<int>(stride));
  const __m128i shift = _mm_cvtsi32_si128(tree.column_bits + 1);
  std::size_t left = 0;
  for (std::size_t i = 0; i < n; i += 32) {  // two vectors side by side
    __m512i node[2], row[2], start[2];
    for (int v = 0; v < 2; ++v) {
      node[v] = _mm512_loadu_si512(w.node + i + 16 * v);
      row[v] = _mm512_loadu_si512(w.row + i + 16 * v);
      start[v] = _mm512_mullo_epi32(row[v], row_length);
    }
    for (int level = 0; level < kLevelsPerRound; ++level)
      for (int v = 0; v < 2; ++v) {
        const __m512i meta = _mm512_and_si512(_mm512_i32gather_epi32(node[v], meta_of, 4), no_sign);
        const __m512 t = _mm512_i32gather_ps(node[v], threshold, 4);
        const __m512 x = _mm512_i32gather_ps(_mm512_add_epi32(start[v], _mm512_and_si512(meta, column_mask)), rows, 4);
        const __mmask16 missing = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
        const __mmask16 right =
            _mm512_cmp_ps_mask(x, t, _CMP_GT_OQ) | (missing & _mm512_test_epi32_mask(meta, right_bit));
        const __m512i child = _mm512_srl_epi32(meta, shift);
        node[v] = _mm512_mask_add_epi32(child, right, child, _mm512_set1_epi32(1));
      }
    for (int v = 0; v < 2; ++v) {
      const std::size_t begin = i + 16 * v;
      if (begin >= n) break;
      const __mmask16 alive = n - begin >= 16 ? 0xffff : static_cast<__mmask16>((1u << (n - begin)) - 1);
      const __m512i meta = _mm512_i32gather_epi32(node[v], meta_of, 4);
      const __mmask16 arrived = alive & _mm512_cmplt_epi32_mask(meta, _mm512_setzero_si512());
      if (arrived) {
        const __m512i stored =
            _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), arrived, node[v], tree.stored_node.data(), 4);
        _mm512_mask_i32scatter_epi32(leaf_of, arrived, row[v], stored, 4);
      }
      const __mmask16 stays = alive & ~arrived;
      _mm512_storeu_si512(w.node + left, _mm512_maskz_compress_epi32(stays, node[v]));
      _mm512_storeu_si512(w.row + left, _mm512_maskz_compress_epi32(stays, row[v]));
      left += static_cast<std::size_t>(__builtin_popcount(stays));
    }
  }
  return left;
}

#endif

std::size_t walk_round(const FlatTree& tree, const float* rows, std::size_t stride, Walkers& w, std::size_t n,
                       std::int32_t* leaf_of) {
#if defined(__x86_64__)
  // Places are counted in 32 bits within a batch.
  if (has_avx512() && stride < (1u << 21)) return round_avx512(tree, rows, stride, w, n, leaf_of);
#endif
  return round_plain(tree, rows, stride, w, n, leaf_of);
}
std::size_t walk_round(const FlatTree& tree, const double* rows, std::size_t stride, Walkers& w, std::size_t n,
                       std::int32_t* leaf_of) {
  return round_plain(tree, rows, stride, w, n, leaf_of);
}

template <class Number>
void walk(const FlatTree& tree, const Number* rows, std::size_t stride, std::size_t n, std::int32_t* leaf_of) {
  Walkers w;
  for (std::size_t begin = 0; begin < n; begin += kBatch) {
    std::size_t walking = std::min(kBatch, n - begin);
    for (std::size_t i = 0; i < kBatch + 16; ++i)
      w.node[i] = 0, w.row[i] = i < walking ? static_cast<std::int32_t>(i) : 0;
    while (walking > 0) walking = walk_round(tree, rows + begin * stride, stride, w, walking, leaf_of + begin);
  }
}

}  // namespace

void walk_flat(const FlatTree& tree, const float* rows, std::size_t stride, std::size_t n, std::int32_t* leaf_of) {
  walk(tree, rows, stride, n, leaf_of);
}
void walk_flat(const FlatTree& tree, const double* rows, std::size_t stride, std::size_t n, std::int32_t* leaf_of) {
  walk(tree, rows, stride, n, leaf_of);
}

}  // namespace tw
