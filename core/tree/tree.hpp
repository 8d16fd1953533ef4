// Tree: what is stored. It knows no algorithm: a node is a test, where missing goes, and a summary.
//
// Nodes are numbered in preorder, so the first child of node i is i + 1 and `n_children` alone tells the whole shape.
// docs/design.md 2.2 describes every array.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t
#include <string>   // for string
#include <utility>  // for pair
#include <vector>   // for vector

namespace tw {

enum class TestKind : std::uint8_t { leaf = 0, threshold = 1, levels = 2 };

struct Tree {
  std::int32_t n_columns = 0;
  std::int32_t n_classes = 0;  // 0: numeric target

  std::vector<std::uint16_t> n_children;
  std::vector<std::uint8_t> kind;
  std::vector<std::int32_t> column;
  std::vector<double> threshold;
  std::vector<std::int32_t> missing_branch;
  std::vector<std::int64_t> level_start;
  std::vector<std::uint32_t> level;
  std::vector<std::uint16_t> level_branch;
  std::vector<std::int64_t> n_rows;
  std::vector<double> weight, impurity, gain;
  std::vector<std::int64_t> count_start;  // classification
  std::vector<std::uint32_t> count_class;
  std::vector<double> count_weight;
  std::vector<std::int32_t> prediction;
  std::vector<double> value;                                        // regression
  std::vector<std::pair<std::string, std::vector<double>>> extras;  // optional numbers per node

  // derived from n_children by find_shape()
  std::vector<std::int64_t> children_start;
  std::vector<std::int32_t> children, parent, depth;

  std::size_t size() const { return n_children.size(); }
  std::int32_t child(std::size_t node, std::int32_t branch) const { return children[children_start[node] + branch]; }

  // Fills the derived arrays. Throws BadInput when n_children is not the shape of one tree.
  void find_shape();
  // Throws BadInput with a sentence when any array could make a reader stumble.
  void check() const;
};

// The tree that is left when the marked nodes become leaves (whatever stands below them is dropped).
Tree cut_at(const Tree& tree, const std::vector<std::uint8_t>& becomes_leaf);

}  // namespace tw
