// FlatTrees: all trees of an ensemble laid out for walking, one after the other; see predict/flat_tree.hpp.
#pragma once

#include <algorithm>  // for lower_bound, min
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "ensemble/ensemble.hpp"
#include "predict/flat_tree.hpp"
#include "predict/walk_lanes.hpp"

namespace tw {

// Which levels go right at the tests by levels.
class LevelSets {
 public:
  bool empty() const { return sets_.empty(); }
  std::size_t bytes() const { return sets_.size() * sizeof(Set) + words_.size() * 4; }

  // The levels of test number `which` of a tree; returns the number of the set.
  std::uint32_t add(const SmallTree& tree, std::size_t which, bool missing_right);

  // x: the code of a level, from 1 on; NaN where there is none. Levels that the test does not know go where missing
  // goes.
  std::uint32_t goes_right(std::uint32_t number, double x, std::uint32_t missing_right) const {
    if (!(x >= 1)) return missing_right;
    const Set& set = sets_[number];
    const auto code = static_cast<std::uint32_t>(std::min(x, kBeyond));
    const std::uint32_t* begin = words_.data() + set.start;
    if (!set.sparse) {
      const std::uint32_t bit = code - set.low;
      return bit < set.span ? begin[bit / 32] >> (bit % 32) & 1 : missing_right;
    }
    const std::uint32_t* end = begin + set.span;
    const std::uint32_t* found = std::lower_bound(begin, end, code << 1);
    return found != end && *found >> 1 == code ? *found & 1 : missing_right;
  }

 private:
  static constexpr double kBeyond = 0x7fffffff;

  // The codes low … low + span − 1 have a bit each, or (sparse) there are `span` ascending words code << 1 | branch.
  struct Set {
    std::uint32_t start, low, span;
    bool sparse;
  };
  std::vector<Set> sets_;
  std::vector<std::uint32_t> words_;
};

template <class Node>
class FlatTrees {
 public:
  explicit FlatTrees(const Ensemble& ensemble);

  std::size_t bytes() const { return nodes_.size() * sizeof(Node) + root_.size() * 8 + sets_.bytes(); }

  // leaf_of[i] = the number of the leaf of the tree where row i ends, i < n.
  template <class Number>
  void walk_rows(std::size_t tree, const RowMatrix<Number>& rows, std::size_t n, std::uint32_t* leaf_of) const;

  // leaf_of[t] = the number of the leaf of tree t where the one row ends. Of long nodes only.
  void walk_trees(const double* row, std::uint32_t* leaf_of) const;

 private:
  void add(const SmallTree& tree);
  template <class Number, class Entry>
  void walk(const Node* nodes, const RowMatrix<Number>& rows, std::size_t n, const Entry& entry,
            std::uint32_t* leaf_of) const;

  std::vector<Node> nodes_;
  std::vector<std::size_t> root_;  // of each tree
  LevelSets sets_;
};

}  // namespace tw
