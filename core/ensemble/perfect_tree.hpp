// PerfectTree: the first levels of a tree of cuts, filled up to a perfect tree. The place of a node tells its children
// (2 h and 2 h + 1), so a step needs no link; all tests fit four vectors. A tree of at most six levels is all in it.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

namespace tw {

struct NarrowNode;

struct PerfectTree {
  static constexpr std::uint32_t kFewestLevels = 3, kMostLevels = 6, kPlaces = 64;

  std::uint32_t test[kPlaces];   // as NarrowNode::test, at places 1 … 63; where there is no node: all rows go left
  std::uint32_t where[kPlaces];  // what comes at place 2^levels + i: kLeafLink | number of the leaf, or a node

  // root: of a tree without tests by levels in its first levels.
  static PerfectTree make(const std::vector<NarrowNode>& nodes, std::uint32_t root, std::uint32_t depth);

  static std::uint32_t levels(std::uint32_t depth) {
    return depth < kFewestLevels ? kFewestLevels : depth > kMostLevels ? kMostLevels : depth;
  }
};

// where_of[i] = what comes for row first + i after the levels of the tree, i < n; codes as in CodedRows. Rounds n up to
// 32. Needs has_avx512().
void walk_perfect(const PerfectTree& tree, const std::uint16_t* codes, int shift, std::size_t first, std::size_t n,
                  std::uint32_t* where_of);

// The same for a tree that ends within `levels`: the numbers of the leaves.
void walk_whole_perfect(const PerfectTree& tree, std::uint32_t levels, const std::uint16_t* codes, int shift,
                        std::size_t n, std::uint32_t* leaf_of);

}  // namespace tw
