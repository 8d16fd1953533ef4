// SmallTree: one binary tree of an ensemble, in few bytes a node.
//
// Nodes stand in preorder, so the first child of node i is i + 1 and `test` alone tells the whole shape. Everything
// else is kept for inner nodes only, or for leaves only, each in the order of their preorder; what can be added up
// from the leaves is not kept at all. expand() in expand_tree.hpp makes an ordinary Tree of it.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint8_t
#include <vector>   // for vector

namespace tw {

// The values of `test`: a TestKind (leaf, threshold, levels), and this bit where rows without a value take branch 1.
constexpr std::uint8_t kMissingTakesSecond = 0x80;

struct SmallTree {
  std::vector<std::uint8_t> test;  // every node

  // inner nodes
  std::vector<std::int32_t> column;
  std::vector<double> threshold;  // x <= threshold takes branch 0; NaN where the test is by levels
  std::vector<double> gain;       // as Tree::gain

  // inner nodes that test by levels: the level codes present at the node, ascending; codes not here count as missing
  std::vector<std::uint32_t> level_start;  // one more entry than there are such nodes; empty when there are none
  std::vector<std::uint32_t> level;
  std::vector<std::uint8_t> level_branch;

  // leaves
  std::vector<std::uint32_t> n_rows;
  std::vector<double> weight;    // empty: equal to n_rows
  std::vector<double> impurity;  // empty: all 0
  std::vector<double> value;     // numeric target, and what a boosted tree adds
  // classes: the weights of the classes present; a leaf has count_start[leaf] … count_start[leaf + 1]
  std::vector<std::uint32_t> count_start;
  std::vector<std::uint16_t> count_class;
  std::vector<double> count_weight;

  std::size_t size() const { return test.size(); }
  std::size_t n_leaves() const { return n_rows.size(); }
};

}  // namespace tw
