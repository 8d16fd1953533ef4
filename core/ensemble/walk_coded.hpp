// Coded rows through coded trees.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t

#include "ensemble/coded_trees.hpp"

namespace tw {

// Buffers of codes and of leaves need this many entries more than they are asked to hold.
constexpr std::size_t kWalkPadding = 64;

// The codes of a block of rows, column by column: that of row i in column c is codes[(c << shift) + i].
template <class Code>
struct CodedRows {
  const Code* codes;
  int shift;
  std::size_t n_rows;
};

// leaf_of[i] = the number of the leaf of tree `tree` of the group where row i ends.
template <class Node>
void walk_rows(const CodedGroup<Node>& group, std::size_t tree, const CodedRows<typename Node::Code>& rows,
               std::uint32_t* leaf_of);

// leaf_of[t] = the number of the leaf of tree t of the group where the one row ends.
template <class Node>
void walk_trees(const CodedGroup<Node>& group, const typename Node::Code* codes, std::uint32_t* leaf_of);

}  // namespace tw
