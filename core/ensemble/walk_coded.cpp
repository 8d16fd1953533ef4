// Rows in lockstep: a step of one row waits for memory, so many rows take their steps side by side. Through a shallow
// tree all of them take as many steps as it is deep; in a deep one those that have arrived leave every few levels and
// the others close ranks.
#include "ensemble/walk_coded.hpp"

#include <algorithm>  // for max, min

#include "base/vectors.hpp"

namespace tw {
namespace {

constexpr std::size_t kLanes = 512;
constexpr std::uint32_t kShallow = 8;
constexpr std::uint32_t kLevelsPerRound = 4;

struct Lanes {
  std::uint32_t node[kLanes + kWalkPadding];
  std::uint32_t slot[kLanes + kWalkPadding];  // which row, or which tree
};

template <class Node>
struct Walk {
  const CodedGroup<Node>& group;
  const typename Node::Code* codes;
  int shift;
  std::uint32_t slot_mask;  // 0 where one row goes through many trees
};

// A leaf asks column 0 in vain and stays where it is: one way for all nodes is faster than a guess at each.
template <bool kSets, class Node>
std::uint32_t step(const Walk<Node>& walk, std::uint32_t at, std::uint32_t slot) {
  const Node& node = walk.group.nodes[at];
  const std::uint32_t code = walk.codes[(std::size_t{node.column()} << walk.shift) + (slot & walk.slot_mask)];
  const std::uint32_t flags = node.flags();
  if constexpr (kSets)
    if (flags & kByLevels) return node.link + walk.group.level_goes_right(node, code);
  const std::uint32_t next = node.link + (code - (flags & kMissingRight) > node.code());
  return node.link & kLeafLink ? at : next;
}

template <bool kSets, class Node>
void steps_plain(const Walk<Node>& walk, std::uint32_t n_steps, Lanes& lanes, std::size_t n) {
  for (std::uint32_t level = 0; level < n_steps; ++level)
    for (std::size_t i = 0; i < n; ++i) lanes.node[i] = step<kSets>(walk, lanes.node[i], lanes.slot[i]);
}

template <class Node>
void steps_plain(const Walk<Node>& walk, std::uint32_t n_steps, Lanes& lanes, std::size_t n) {
  walk.group.has_sets() ? steps_plain<true>(walk, n_steps, lanes, n) : steps_plain<false>(walk, n_steps, lanes, n);
}

// Writes the leaves of those that have arrived; the others close ranks. Returns how many still walk.
template <class Node>
std::size_t close_ranks(const CodedGroup<Node>& group, Lanes& lanes, std::size_t n, std::uint32_t* leaf_of) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t at = lanes.node[i], slot = lanes.slot[i], link = group.nodes[at].link;
    leaf_of[slot] = link & ~kLeafLink;
    lanes.node[left] = at, lanes.slot[left] = slot;
    left += (link & kLeafLink) == 0;
  }
  return left;
}

#if defined(__x86_64__)
struct VectorWalk {
  const int* nodes;
  const std::uint16_t* codes;
  __m128i shift;
  std::uint32_t slot_mask;
};

// The lanes of `sparse` one by one: which of them go right.
TW_AVX512 __mmask16 listed_right(const CodedGroup<NarrowNode>& group, __mmask16 sparse, __m512i at, __m512i code) {
  alignas(64) std::uint32_t nodes[16], codes[16];
  _mm512_store_si512(nodes, at), _mm512_store_si512(codes, code);
  unsigned right = 0;
  for (unsigned left = sparse; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    right |= static_cast<unsigned>(group.level_goes_right(group.nodes[nodes[lane]], codes[lane])) << lane;
  }
  return static_cast<__mmask16>(right);
}

struct LevelTests {
  __mmask16 lanes;  // that test by levels
  __m512i at, link, test, code;
};

// Which of the lanes that test by levels go right; see CodedGroup::level_goes_right.
TW_AVX512 inline __mmask16 levels_right(const VectorWalk& walk, const CodedGroup<NarrowNode>& group,
                                        const LevelTests& t) {
  const __m512i none = _mm512_setzero_si512(), set = _mm512_add_epi32(t.link, _mm512_set1_epi32(2));
  const __m512i start = _mm512_mask_i32gather_epi32(none, t.lanes, set, walk.nodes, 8);
  const __m512i range = _mm512_mask_i32gather_epi32(none, t.lanes, set, walk.nodes + 1, 8);
  const __m512i bit = _mm512_sub_epi32(t.code, _mm512_srli_epi32(range, 16));
  const __mmask16 sparse = t.lanes & _mm512_movepi32_mask(start), dense = t.lanes & ~sparse;
  const __mmask16 inside = dense & _mm512_cmplt_epu32_mask(bit, _mm512_and_si512(range, _mm512_set1_epi32(0xffff)));
  const __m512i place = _mm512_add_epi32(start, _mm512_srli_epi32(bit, 5));
  const __m512i word = _mm512_mask_i32gather_epi32(none, inside, place, group.words.data(), 4);
  const __m512i moved = _mm512_srlv_epi32(word, _mm512_and_si512(bit, _mm512_set1_epi32(31)));
  const __m512i one = _mm512_set1_epi32(1);
  __mmask16 right = (inside & _mm512_test_epi32_mask(moved, one)) |
                    (dense & ~inside & _mm512_test_epi32_mask(t.test, _mm512_set1_epi32(kMissingRight)));
  if (sparse) right |= listed_right(group, sparse, t.at, t.code);
  return right;
}

template <bool kSets>
TW_AVX512 inline __m512i step_avx512(const VectorWalk& walk, const CodedGroup<NarrowNode>& group, __m512i at,
                                     __m512i slot) {
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i link = _mm512_i32gather_epi32(at, walk.nodes, 8);
  const __m512i test = _mm512_i32gather_epi32(at, walk.nodes + 1, 8);
  const __mmask16 leaf = _mm512_movepi32_mask(link);
  const __m512i column = _mm512_and_si512(_mm512_srli_epi32(test, 2), _mm512_set1_epi32(0x3fff));
  const __m512i code = _mm512_and_si512(
      _mm512_i32gather_epi32(_mm512_add_epi32(_mm512_sll_epi32(column, walk.shift), slot), walk.codes, 2),
      _mm512_set1_epi32(0xffff));
  const __m512i moved = _mm512_sub_epi32(code, _mm512_and_si512(test, one));
  __mmask16 right = _mm512_cmpgt_epu32_mask(moved, _mm512_srli_epi32(test, 16));
  if constexpr (kSets) {
    const __mmask16 by_levels = _mm512_test_epi32_mask(test, _mm512_set1_epi32(kByLevels));
    // A leaf has no flags, so that it is none of these.
    if (by_levels) right = (right & ~by_levels) | levels_right(walk, group, {by_levels, at, link, test, code});
  }
  const __m512i next = _mm512_mask_add_epi32(link, right, link, one);
  return _mm512_mask_mov_epi32(next, leaf, at);
}

// All lanes take n_steps steps, 64 of them side by side.
template <bool kSets>
TW_AVX512 void steps_avx512(const VectorWalk& walk, const CodedGroup<NarrowNode>& group, std::uint32_t n_steps,
                            Lanes& lanes, std::size_t n) {
  const __m512i slot_mask = _mm512_set1_epi32(static_cast<int>(walk.slot_mask));
  for (std::size_t i = 0; i < n; i += 64) {
    __m512i at[4], slot[4];
    for (int v = 0; v < 4; ++v) {
      at[v] = _mm512_loadu_si512(lanes.node + i + 16 * v);
      slot[v] = _mm512_and_si512(_mm512_loadu_si512(lanes.slot + i + 16 * v), slot_mask);
    }
    for (std::uint32_t level = 0; level < n_steps; ++level)
      for (int v = 0; v < 4; ++v) at[v] = step_avx512<kSets>(walk, group, at[v], slot[v]);
    for (int v = 0; v < 4; ++v) _mm512_storeu_si512(lanes.node + i + 16 * v, at[v]);
  }
}

TW_AVX512 std::size_t close_ranks_avx512(const CodedGroup<NarrowNode>& group, Lanes& lanes, std::size_t n,
                                         std::uint32_t* leaf_of) {
  const auto* nodes = reinterpret_cast<const int*>(group.nodes.data());
  std::size_t left = 0;
  for (std::size_t i = 0; i < n; i += 16) {
    const __mmask16 alive = n - i >= 16 ? 0xffff : static_cast<__mmask16>((1u << (n - i)) - 1);
    const __m512i at = _mm512_loadu_si512(lanes.node + i), slot = _mm512_loadu_si512(lanes.slot + i);
    const __m512i link = _mm512_i32gather_epi32(at, nodes, 8);
    const __mmask16 arrived = alive & _mm512_movepi32_mask(link), stays = alive & ~arrived;
    if (arrived)
      _mm512_mask_i32scatter_epi32(leaf_of, arrived, slot, _mm512_and_si512(link, _mm512_set1_epi32(0x7fffffff)), 4);
    _mm512_storeu_si512(lanes.node + left, _mm512_maskz_compress_epi32(stays, at));
    _mm512_storeu_si512(lanes.slot + left, _mm512_maskz_compress_epi32(stays, slot));
    left += static_cast<std::size_t>(__builtin_popcount(stays));
  }
  return left;
}

std::size_t close(const CodedGroup<NarrowNode>& group, Lanes& lanes, std::size_t n, std::uint32_t* leaf_of) {
  return has_avx512() ? close_ranks_avx512(group, lanes, n, leaf_of) : close_ranks(group, lanes, n, leaf_of);
}

void take_steps(const Walk<NarrowNode>& walk, std::uint32_t n_steps, Lanes& lanes, std::size_t n) {
  if (!has_avx512()) return steps_plain(walk, n_steps, lanes, n);
  const VectorWalk vector{reinterpret_cast<const int*>(walk.group.nodes.data()), walk.codes,
                          _mm_cvtsi32_si128(walk.shift), walk.slot_mask};
  walk.group.has_sets() ? steps_avx512<true>(vector, walk.group, n_steps, lanes, n)
                        : steps_avx512<false>(vector, walk.group, n_steps, lanes, n);
}
#else
std::size_t close(const CodedGroup<NarrowNode>& group, Lanes& lanes, std::size_t n, std::uint32_t* leaf_of) {
  return close_ranks(group, lanes, n, leaf_of);
}

void take_steps(const Walk<NarrowNode>& walk, std::uint32_t n_steps, Lanes& lanes, std::size_t n) {
  steps_plain(walk, n_steps, lanes, n);
}
#endif
std::size_t close(const CodedGroup<WideNode>& group, Lanes& lanes, std::size_t n, std::uint32_t* leaf_of) {
  return close_ranks(group, lanes, n, leaf_of);
}

void take_steps(const Walk<WideNode>& walk, std::uint32_t n_steps, Lanes& lanes, std::size_t n) {
  steps_plain(walk, n_steps, lanes, n);
}

void fill_up(Lanes& lanes, std::size_t n) {
  for (std::size_t i = n; i < n + kWalkPadding; ++i) lanes.node[i] = lanes.node[0], lanes.slot[i] = lanes.slot[0];
}

template <class Node>
void walk_deep(const Walk<Node>& walk, std::uint32_t depth, Lanes& lanes, std::size_t n, std::uint32_t* leaf_of) {
  for (; n > 0; depth -= kLevelsPerRound) {
    fill_up(lanes, n);
    take_steps(walk, std::min(depth, kLevelsPerRound), lanes, n);
    n = close(walk.group, lanes, n, leaf_of);
  }
}

#if defined(__x86_64__)
// Those whose way ends within the first levels get their leaf; the others are the lanes. Returns how many.
TW_AVX512 std::size_t part_lanes(const std::uint32_t* where, std::size_t begin, std::size_t n, Lanes& lanes,
                                 std::uint32_t* leaf_of) {
  std::size_t left = 0;
  __m512i slot = _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                  _mm512_set1_epi32(static_cast<int>(begin)));
  for (std::size_t i = 0; i < n; i += 16) {
    const __mmask16 alive = n - i >= 16 ? 0xffff : static_cast<__mmask16>((1u << (n - i)) - 1);
    const __m512i at = _mm512_loadu_si512(where + i);
    const __mmask16 stays = alive & ~_mm512_movepi32_mask(at);
    _mm512_storeu_si512(leaf_of + begin + i, _mm512_and_si512(at, _mm512_set1_epi32(0x7fffffff)));
    _mm512_storeu_si512(lanes.node + left, _mm512_maskz_compress_epi32(stays, at));
    _mm512_storeu_si512(lanes.slot + left, _mm512_maskz_compress_epi32(stays, slot));
    left += static_cast<std::size_t>(__builtin_popcount(stays));
    slot = _mm512_add_epi32(slot, _mm512_set1_epi32(16));
  }
  return left;
}

// The first levels without links, the others as usual.
void walk_from_perfect(const CodedGroup<NarrowNode>& group, std::size_t tree, const CodedRows<std::uint16_t>& rows,
                       std::uint32_t* leaf_of) {
  const PerfectTree& top = group.perfect[tree];
  const std::uint32_t depth = group.depth[tree];
  if (depth <= PerfectTree::kMostLevels)
    return walk_whole_perfect(top, PerfectTree::levels(depth), rows.codes, rows.shift, rows.n_rows, leaf_of);
  const Walk<NarrowNode> walk{group, rows.codes, rows.shift, 0xffffffffu};
  Lanes lanes;
  std::uint32_t where[kLanes + kWalkPadding];
  for (std::size_t begin = 0; begin < rows.n_rows; begin += kLanes) {
    const std::size_t n = std::min(kLanes, rows.n_rows - begin);
    walk_perfect(top, rows.codes, rows.shift, begin, n, where);
    walk_deep(walk, depth - PerfectTree::kMostLevels, lanes, part_lanes(where, begin, n, lanes, leaf_of), leaf_of);
  }
}
#else
void walk_from_perfect(const CodedGroup<NarrowNode>&, std::size_t, const CodedRows<std::uint16_t>&, std::uint32_t*) {}
#endif

template <class Node>
void walk_lanes(const Walk<Node>& walk, std::uint32_t depth, Lanes& lanes, std::size_t n, std::uint32_t* leaf_of) {
  if (depth > kShallow) return walk_deep(walk, depth, lanes, n, leaf_of);
  fill_up(lanes, n);
  take_steps(walk, depth, lanes, n);
  close(walk.group, lanes, n, leaf_of);
}

}  // namespace

template <class Node>
void walk_rows(const CodedGroup<Node>& group, std::size_t tree, const CodedRows<typename Node::Code>& rows,
               std::uint32_t* leaf_of) {
  if constexpr (sizeof(typename Node::Code) == 2)
    if (has_avx512() && !group.perfect.empty()) return walk_from_perfect(group, tree, rows, leaf_of);
  const Walk<Node> walk{group, rows.codes, rows.shift, 0xffffffffu};
  Lanes lanes;
  for (std::size_t begin = 0; begin < rows.n_rows; begin += kLanes) {
    const std::size_t n = std::min(kLanes, rows.n_rows - begin);
    for (std::size_t i = 0; i < n; ++i)
      lanes.node[i] = group.root[tree], lanes.slot[i] = static_cast<std::uint32_t>(begin + i);
    walk_lanes(walk, group.depth[tree], lanes, n, leaf_of);
  }
}

template <class Node>
void walk_trees(const CodedGroup<Node>& group, const typename Node::Code* codes, std::uint32_t* leaf_of) {
  const Walk<Node> walk{group, codes, 0, 0};
  Lanes lanes;
  for (std::size_t begin = 0; begin < group.n_trees(); begin += kLanes) {
    const std::size_t n = std::min(kLanes, group.n_trees() - begin);
    std::uint32_t depth = 0;
    for (std::size_t i = 0; i < n; ++i) {
      lanes.node[i] = group.root[begin + i], lanes.slot[i] = static_cast<std::uint32_t>(begin + i);
      depth = std::max(depth, group.depth[begin + i]);
    }
    walk_lanes(walk, depth, lanes, n, leaf_of);
  }
}

template void walk_rows(const CodedGroup<NarrowNode>&, std::size_t, const CodedRows<std::uint16_t>&, std::uint32_t*);
template void walk_rows(const CodedGroup<WideNode>&, std::size_t, const CodedRows<std::uint32_t>&, std::uint32_t*);
template void walk_trees(const CodedGroup<NarrowNode>&, const std::uint16_t*, std::uint32_t*);
template void walk_trees(const CodedGroup<WideNode>&, const std::uint32_t*, std::uint32_t*);

}  // namespace tw
