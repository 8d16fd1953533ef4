// LiveTree: a stored tree while it is pruned. Nodes keep their numbers; a node may become a leaf, or take the place of
// its parent. Its test is always that of some node of the stored tree.
#pragma once

#include <cstdint>  // for int32_t, uint8_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/tables/write_tree.hpp"
#include "tree/tree.hpp"

namespace tw {

class LiveTree {
 public:
  LiveTree(const Tree& tree, const Weighing& weighing);

  const Tree& stored() const { return tree_; }
  std::int32_t test(std::int32_t node) const { return test_[node]; }  // the stored node that has its test
  std::int32_t n_children(std::int32_t node) const { return n_children_[node]; }
  bool is_leaf(std::int32_t node) const { return n_children_[node] == 0; }
  std::int32_t child(std::int32_t node, std::int32_t branch) const { return tree_.children[first_[node] + branch]; }

  double weight(std::int32_t node) const { return weight_[node]; }
  double errors(std::int32_t node) const { return errors_[node]; }  // as a leaf

  void become_leaf(std::int32_t node) { n_children_[node] = 0; }
  // The node becomes what its child is; other rows than before may come to everything below.
  void take_place_of_parent(std::int32_t node, std::int32_t child);
  void set_sums(std::int32_t node, Sums sums);

  Tree write(const Recipe& recipe) const;

 private:
  Sums stored_sums(std::int32_t node) const;
  GrownNode grown(std::int32_t node) const;

  const Tree& tree_;
  const Weighing& weighing_;
  std::vector<std::int32_t> test_, n_children_;
  std::vector<std::int64_t> first_;  // of the children in tree_.children
  std::vector<double> weight_, errors_;
  std::vector<std::int32_t> own_;  // where a node has sums other than the stored ones: their place; −1 otherwise
  std::vector<Sums> sums_;
};

// One pass from the leaves to the root, which is the way of most pruners: preorder read backwards meets every child
// before its parent.

// The sum of one number a node over each node and all that lies below it.
std::vector<double> subtree_sums(const Tree& tree, std::span<const double> values);

// Marks the nodes that are cheaper as leaves: as_leaf ≤ kept + (cost of the branches as pruned) + margin. `kept` is
// what a node costs by itself while it asks. Equal costs make a leaf, and so do costs that differ only by rounding.
std::vector<std::uint8_t> cheaper_as_leaf(const Tree& tree, std::span<const double> as_leaf,
                                          std::span<const double> kept, double margin);

}  // namespace tw
