// TreeTop: the first levels of a tree as a tree of its own, whose leaves lead on into the whole one.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "ensemble/ensemble.hpp"
#include "ensemble/level_sets.hpp"
#include "ensemble/small_tree.hpp"
#include "predict/flat_tree.hpp"
#include "predict/walk_lanes.hpp"

namespace tw {

struct TreeTop {
  SmallTree tree;                    // its shape and its tests; nothing about rows and answers
  std::vector<std::uint32_t> entry;  // by leaf: its place in a FlatLayout of the whole tree, counted from the root
};

TreeTop top_of(const SmallTree& whole, std::uint32_t n_levels);

// FlatTrees: all trees of an ensemble laid out for walking, one after the other; see predict/flat_tree.hpp.

template <class Node>
class FlatTrees {
 public:
  explicit FlatTrees(const Ensemble& ensemble);

  std::size_t bytes() const { return nodes_.size() * sizeof(Node) + root_.size() * 8 + sets_.bytes(); }

  // where[i]: the place where row i starts, counted from the root of the tree, i < n; becomes the number of its leaf.
  template <class Number>
  void walk_rows(std::size_t tree, const RowMatrix<Number>& rows, std::size_t n, std::uint32_t* where) const;

  // leaf_of[t] = the number of the leaf of tree t where the one row ends. Of long nodes only.
  void walk_trees(const double* row, std::uint32_t* leaf_of) const;

 private:
  void add(const SmallTree& tree);
  template <class Number>
  void walk(std::size_t first, const RowMatrix<Number>& rows, std::size_t n, std::uint32_t* where) const;

  std::vector<Node> nodes_;
  std::vector<std::size_t> root_;  // of each tree
  LevelSets sets_;
};

}  // namespace tw
