// FlatTree: a tree of thresholds with two branches a node, laid out for walking many rows at once.
//
// Nodes stand level by level with the two children side by side, so a step is  node = child + (x > t). A leaf is its
// own left child with t = +inf: a row that has arrived stays, and rows can walk in lockstep.
#pragma once

#include <cstdint>  // for int32_t
#include <vector>   // for vector

#include "tree/tree.hpp"

namespace tw {

struct FlatTree {
  std::vector<double> threshold;
  std::vector<float> threshold_single;    // the largest float not above the threshold: the same answers for float rows
  std::vector<std::int32_t> meta;         // child << shift | missing goes right << 1 … see pack(); negative at a leaf
  std::vector<std::int32_t> stored_node;  // number of the node in the stored tree
  int column_bits = 0;

  // Empty (no nodes) when the tree has other tests, other numbers of branches, rows that stop on the way, or more
  // nodes and columns than fit a word.
  static FlatTree make(const Tree& tree);

  bool empty() const { return meta.empty(); }
  std::int32_t column_mask() const { return (1 << column_bits) - 1; }
};

}  // namespace tw
