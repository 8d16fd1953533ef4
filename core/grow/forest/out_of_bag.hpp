// OutOfBag: what the trees that did not see a row say about it, added up while the forest grows.
//
// Answers are whole numbers (shares in units of 2^-40), so that the sums are the same whichever thread adds first.
#pragma once

#include <cstdint>  // for int64_t
#include <vector>   // for vector

#include "grow/forest/coded_tree.hpp"
#include "grow/forest/forest_rules.hpp"
#include "table/target.hpp"

namespace tw {

class OutOfBag {
 public:
  OutOfBag(std::size_t n_rows, const Target& target, Voting voting);

  // Adds the answers of one tree. Called by several threads at a time.
  template <class Cells>
  void add(const SmallTree& tree, const Cells& cells, const std::vector<std::uint32_t>& counts);

  // Row by row: the sum of what the trees say of each class, or of their answers; and how many trees those are.
  std::vector<double> sums() const;
  const std::vector<std::uint32_t>& n_trees() const { return n_trees_; }
  // How good the answers are so far: the share of right ones, or the share of the variance that they explain. To be
  // shown while the forest grows: other threads may be adding.
  double score() const;
  std::size_t n_outputs() const { return n_outputs_; }

 private:
  std::vector<std::int64_t> leaf_answers(const SmallTree& tree) const;

  const Target& target_;
  Voting voting_;
  std::size_t n_outputs_;
  double unit_ = 1, offset_ = 0;
  std::vector<std::int64_t> sums_;
  std::vector<std::uint32_t> n_trees_;
};

}  // namespace tw
