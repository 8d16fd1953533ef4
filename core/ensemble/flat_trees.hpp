// LevelSets: which levels go right at the tests by levels of some trees.
#pragma once

#include <algorithm>  // for min
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "ensemble/ensemble.hpp"
#include "ensemble/small_tree.hpp"
#include "predict/flat_tree.hpp"
#include "predict/walk_lanes.hpp"

namespace tw {

// A level as trees ask for it: its code, from 1 on; 0 where x, a code or NaN, is none.
inline std::uint32_t level_of(double x) {
  const double not_below = x > 0 ? x : 0;  // nor NaN
  return static_cast<std::uint32_t>(std::min(not_below, double{0x7fffffff}));
}

class LevelSets {
 public:
  bool empty() const { return sets_.empty(); }
  std::size_t bytes() const { return sets_.size() * sizeof(Set) + words_.size() * 4; }

  // The levels of test number `which` of a tree; returns the number of the set.
  std::uint32_t add(const SmallTree& tree, std::size_t which, bool missing_right);

  // 1 where the level goes right, else 0. No level, and one that the test does not know, go where missing goes.
  __attribute__((noinline)) std::uint32_t goes_right(std::uint32_t number, double x) const;

  // The same for many levels.
  void go_right(std::uint32_t number, const std::uint32_t* levels, std::size_t n, std::int8_t* right) const;

 private:
  // The levels low … low + span − 1 have a bit each, and all others the one behind them; or (sparse) there are `span`
  // ascending words level << 1 | branch, and one behind them for all others.
  struct Set {
    std::uint32_t start, low, span;
    bool sparse;
  };

  static std::uint32_t bit_of(const Set& set, const std::uint32_t* words, std::uint32_t level) {
    const std::uint32_t bit = std::min(level - set.low, set.span);
    return words[bit / 32] >> (bit % 32) & 1;
  }
  std::uint32_t listed_right(const Set& set, std::uint32_t level) const;

  std::vector<Set> sets_;
  std::vector<std::uint32_t> words_;
};

// TreeTop: the first levels of a tree as a tree of its own, whose leaves lead on into the whole one.

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
