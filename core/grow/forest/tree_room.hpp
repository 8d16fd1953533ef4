// TreeRoom: the trees of a forest are about equally large, so the next one gets the room that the last one took.
#pragma once

#include <cstddef>  // for size_t

#include "ensemble/small_tree.hpp"

namespace tw {

class TreeRoom {
 public:
  void make(SmallTree& tree, bool is_regression) const {
    tree.test.reserve(n_inner_ + n_leaves_);
    tree.column.reserve(n_inner_), tree.threshold.reserve(n_inner_), tree.gain.reserve(n_inner_);
    tree.n_rows.reserve(n_leaves_), tree.weight.reserve(n_leaves_), tree.impurity.reserve(n_leaves_);
    if (is_regression) return tree.value.reserve(n_leaves_);
    tree.count_start.reserve(n_leaves_ + 1);
    tree.count_class.reserve(n_leaves_), tree.count_weight.reserve(n_leaves_);
  }

  void remember(const SmallTree& tree) {  // and a little more
    n_inner_ = tree.column.size() * 17 / 16, n_leaves_ = tree.n_leaves() * 17 / 16;
  }

 private:
  std::size_t n_inner_ = 0, n_leaves_ = 0;
};

}  // namespace tw
