#include "ensemble/perfect_tree.hpp"

#include <algorithm>  // for fill
#include <utility>    // for pair

#include "base/vectors.hpp"
#include "ensemble/coded_trees.hpp"

namespace tw {

PerfectTree PerfectTree::make(const std::vector<NarrowNode>& nodes, std::uint32_t root, std::uint32_t depth) {
  PerfectTree tree;
  std::fill(tree.test, tree.test + kPlaces, NarrowNode::make(0, 0, NarrowNode::kLargestCode, 0).test);
  std::fill(tree.where, tree.where + kPlaces, kLeafLink);
  const std::uint32_t last = 1u << levels(depth);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open{{1, root}};  // place, node
  while (!open.empty()) {
    auto [place, at] = open.back();
    open.pop_back();
    const NarrowNode& node = nodes[at];
    const bool is_leaf = node.link & kLeafLink;
    if (is_leaf || place >= last) {
      while (place < last) place *= 2;  // whoever comes here goes left from now on
      tree.where[place - last] = is_leaf ? node.link : at;
      continue;
    }
    tree.test[place] = node.test;
    open.emplace_back(2 * place, node.link), open.emplace_back(2 * place + 1, node.link + 1);
  }
  return tree;
}

#if defined(__x86_64__)
namespace {

struct Block {
  const std::uint16_t* codes;
  int shift;
};

// The test of one node for 32 rows from row i on.
TW_AVX512 inline __mmask32 goes_right(const Block& block, std::uint32_t test, std::size_t i) {
  const std::uint16_t* column = block.codes + (std::size_t{test >> 2 & 0x3fff} << block.shift);
  const __m512i code = _mm512_loadu_si512(column + i);
  const __m512i moved = _mm512_sub_epi16(code, _mm512_set1_epi16(static_cast<short>(test & kMissingRight)));
  return _mm512_cmpgt_epu16_mask(moved, _mm512_set1_epi16(static_cast<short>(test >> 16)));
}

// The places of 32 rows after the first three levels.
struct Places {
  __m512i low, high;
};
TW_AVX512 inline Places after_three(const Block& block, const PerfectTree& tree, std::size_t i) {
  const __mmask32 a = goes_right(block, tree.test[1], i);
  const __mmask32 b = (goes_right(block, tree.test[3], i) & a) | (goes_right(block, tree.test[2], i) & ~a);
  const __mmask32 if_left = (goes_right(block, tree.test[5], i) & b) | (goes_right(block, tree.test[4], i) & ~b);
  const __mmask32 if_right = (goes_right(block, tree.test[7], i) & b) | (goes_right(block, tree.test[6], i) & ~b);
  const __mmask32 c = (if_right & a) | (if_left & ~a);
  __m512i place = _mm512_set1_epi16(8);
  place = _mm512_mask_add_epi16(place, a, place, _mm512_set1_epi16(4));
  place = _mm512_mask_add_epi16(place, b, place, _mm512_set1_epi16(2));
  place = _mm512_mask_add_epi16(place, c, place, _mm512_set1_epi16(1));
  return {_mm512_cvtepu16_epi32(_mm512_castsi512_si256(place)),
          _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(place, 1))};
}

TW_AVX512 inline __m512i step(const Block& block, __m128i shift, __m512i place, __m512i test, __m512i row) {
  const __m512i column = _mm512_and_si512(_mm512_srli_epi32(test, 2), _mm512_set1_epi32(0x3fff));
  const __m512i at = _mm512_add_epi32(_mm512_sll_epi32(column, shift), row);
  const __m512i code = _mm512_and_si512(_mm512_i32gather_epi32(at, block.codes, 2), _mm512_set1_epi32(0xffff));
  const __m512i moved = _mm512_sub_epi32(code, _mm512_and_si512(test, _mm512_set1_epi32(kMissingRight)));
  const __mmask16 right = _mm512_cmpgt_epu32_mask(moved, _mm512_srli_epi32(test, 16));
  const __m512i twice = _mm512_add_epi32(place, place);
  return _mm512_mask_add_epi32(twice, right, twice, _mm512_set1_epi32(1));
}

// The tests at 16 places of a level; `tests` are the four vectors of a tree.
template <int kLevel>
TW_AVX512 inline __m512i tests_at(const __m512i* tests, __m512i place) {
  if constexpr (kLevel <= 3) return _mm512_permutexvar_epi32(place, tests[0]);
  if constexpr (kLevel == 4) return _mm512_permutexvar_epi32(place, tests[1]);
  return _mm512_permutex2var_epi32(tests[2], place, tests[3]);
}

// All levels from the fourth on, which are kLevels − 3.
template <int kLevels>
TW_AVX512 inline __m512i last_levels(const Block& block, __m128i shift, const __m512i* tests, __m512i place,
                                     __m512i row) {
  if constexpr (kLevels > 3) place = step(block, shift, place, tests_at<3>(tests, place), row);
  if constexpr (kLevels > 4) place = step(block, shift, place, tests_at<4>(tests, place), row);
  if constexpr (kLevels > 5) place = step(block, shift, place, tests_at<5>(tests, place), row);
  return place;
}

struct Tests {
  __m512i vectors[4];
  __m128i shift;
};
TW_AVX512 inline Tests tests_of(const PerfectTree& tree, int shift) {
  Tests tests;
  for (int v = 0; v < 4; ++v) tests.vectors[v] = _mm512_loadu_si512(tree.test + 16 * v);
  tests.shift = _mm_cvtsi32_si128(shift);
  return tests;
}

// The places of 32 rows from row i on after all levels.
template <int kLevels>
TW_AVX512 inline Places places_of(const PerfectTree& tree, const Tests& tests, const Block& block, std::size_t i) {
  const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i row = _mm512_add_epi32(first, _mm512_set1_epi32(static_cast<int>(i)));
  const __m512i later = _mm512_add_epi32(row, _mm512_set1_epi32(16));
  const Places top = after_three(block, tree, i);
  return {last_levels<kLevels>(block, tests.shift, tests.vectors, top.low, row),
          last_levels<kLevels>(block, tests.shift, tests.vectors, top.high, later)};
}

TW_AVX512 inline __m512i joined(__m256i low, __m256i high) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// Numbers of leaves have 16 bits here, so that two vectors hold all of them.
template <int kLevels>
TW_AVX512 void walk_whole(const PerfectTree& tree, const Block& block, std::size_t n, std::uint32_t* leaf_of) {
  const Tests tests = tests_of(tree, block.shift);
  __m256i leaf[4];
  for (int v = 0; v < 4; ++v) leaf[v] = _mm512_cvtepi32_epi16(_mm512_loadu_si512(tree.where + 16 * v));
  const __m512i first_leaves = joined(leaf[0], leaf[1]), last_leaves = joined(leaf[2], leaf[3]);
  for (std::size_t i = 0; i < n; i += 32) {
    const Places end = places_of<kLevels>(tree, tests, block, i);
    const __m512i place = joined(_mm512_cvtepi32_epi16(end.low), _mm512_cvtepi32_epi16(end.high));
    const __m512i at = _mm512_and_si512(place, _mm512_set1_epi16((1 << kLevels) - 1));
    const __m512i leaves = _mm512_permutex2var_epi16(first_leaves, at, last_leaves);
    _mm512_storeu_si512(leaf_of + i, _mm512_cvtepu16_epi32(_mm512_castsi512_si256(leaves)));
    _mm512_storeu_si512(leaf_of + i + 16, _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(leaves, 1)));
  }
}

TW_AVX512 void walk_top(const PerfectTree& tree, const Block& block, std::size_t first, std::size_t n,
                        std::uint32_t* where_of) {
  const Tests tests = tests_of(tree, block.shift);
  const __m512i mask = _mm512_set1_epi32(PerfectTree::kPlaces - 1);
  for (std::size_t i = 0; i < n; i += 32) {
    const Places end = places_of<PerfectTree::kMostLevels>(tree, tests, block, first + i);
    _mm512_storeu_si512(where_of + i, _mm512_i32gather_epi32(_mm512_and_si512(end.low, mask), tree.where, 4));
    _mm512_storeu_si512(where_of + i + 16, _mm512_i32gather_epi32(_mm512_and_si512(end.high, mask), tree.where, 4));
  }
}

}  // namespace

void walk_perfect(const PerfectTree& tree, const std::uint16_t* codes, int shift, std::size_t first, std::size_t n,
                  std::uint32_t* where_of) {
  walk_top(tree, {codes, shift}, first, n, where_of);
}

void walk_whole_perfect(const PerfectTree& tree, std::uint32_t levels, const std::uint16_t* codes, int shift,
                        std::size_t n, std::uint32_t* leaf_of) {
  const Block block{codes, shift};
  if (levels == 6) return walk_whole<6>(tree, block, n, leaf_of);
  if (levels == 5) return walk_whole<5>(tree, block, n, leaf_of);
  if (levels == 4) return walk_whole<4>(tree, block, n, leaf_of);
  walk_whole<3>(tree, block, n, leaf_of);
}
#else
void walk_perfect(const PerfectTree&, const std::uint16_t*, int, std::size_t, std::size_t, std::uint32_t*) {}
void walk_whole_perfect(const PerfectTree&, std::uint32_t, const std::uint16_t*, int, std::size_t, std::uint32_t*) {}
#endif

}  // namespace tw
