// TreeTop: the first levels of a tree as a tree of its own, whose leaves lead on into the whole one.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "ensemble/small_tree.hpp"

namespace tw {

struct TreeTop {
  SmallTree tree;                    // its shape and its tests; nothing about rows and answers
  std::vector<std::uint32_t> entry;  // by leaf: its place in a FlatLayout of the whole tree, counted from the root
};

TreeTop top_of(const SmallTree& whole, std::uint32_t n_levels);

}  // namespace tw
