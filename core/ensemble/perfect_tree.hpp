// PerfectTree: a tree of at most six levels of cuts, filled up to a perfect one. The place of a node tells its children
// (2 h and 2 h + 1), so a step needs no link; all tests fit four vectors.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint16_t, uint32_t
#include <vector>   // for vector

namespace tw {

struct NarrowNode;

struct PerfectTree {
  static constexpr std::uint32_t kFewestLevels = 3, kMostLevels = 6, kPlaces = 64;

  std::uint32_t test[kPlaces];  // as NarrowNode::test, at places 1 … 63; where there is no node: all rows go left
  std::uint16_t leaf[kPlaces];  // the number of the leaf at place 2^depth + i

  // root: of a tree without tests by levels, at most kMostLevels deep; a flatter one than kFewestLevels is filled up.
  static PerfectTree make(const std::vector<NarrowNode>& nodes, std::uint32_t root, std::uint32_t depth);
  static std::uint32_t levels(std::uint32_t depth) { return depth < kFewestLevels ? kFewestLevels : depth; }
};

// leaf_of[i] = the number of the leaf where row i ends; codes as in CodedRows. Rounds n up to 32. Needs has_avx512().
void walk_perfect(const PerfectTree& tree, std::uint32_t depth, const std::uint16_t* codes, int shift, std::size_t n,
                  std::uint32_t* leaf_of);

}  // namespace tw
