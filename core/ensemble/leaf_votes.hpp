// LeafVotes: what the leaves of every tree say about the classes, in the form that is added up over the trees.
//
// Most leaves of a forest have one class only, so a leaf has a number below the number of classes when it says just
// that class, and else the number of a list of shares.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "ensemble/ensemble.hpp"

namespace tw {

class LeafVotes {
 public:
  // The shares of the classes among a leaf's rows.
  static LeafVotes shares(const Ensemble& ensemble);
  // One vote for the class that the leaf predicts.
  static LeafVotes votes(const Ensemble& ensemble);

  // Adds what a leaf says to sums[0 … n_classes − 1].
  void add(std::size_t tree, std::uint32_t leaf, double* sums) const {
    const std::uint32_t entry = of_leaf_[tree][leaf];
    if (entry < n_classes_) {
      sums[entry] += 1;
      return;
    }
    for (std::size_t k = start_[entry - n_classes_]; k < start_[entry - n_classes_ + 1]; ++k)
      sums[items_[k].of_class] += items_[k].share;
  }

 private:
  struct Item {
    double share;
    std::uint32_t of_class;
  };

  explicit LeafVotes(const Ensemble& ensemble)
      : n_classes_(static_cast<std::uint32_t>(ensemble.n_classes)), of_leaf_(ensemble.trees.size()), start_(1, 0) {}
  void add_shares(const SmallTree& tree, std::vector<std::uint32_t>& of_leaf);

  std::uint32_t n_classes_;
  std::vector<std::vector<std::uint32_t>> of_leaf_;
  std::vector<std::size_t> start_;
  std::vector<Item> items_;
};

}  // namespace tw
