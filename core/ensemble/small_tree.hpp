// SmallTree: one binary tree of an ensemble, in few bytes a node.
//
// Nodes stand in preorder, so the first child of node i is i + 1 and `test` alone tells the whole shape. Everything
// else is kept for inner nodes only, or for leaves only, each in the order of their preorder; what can be added up
// from the leaves is not kept at all. expand() in expand_tree.hpp makes an ordinary Tree of it.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint8_t
#include <string>   // for to_string
#include <vector>   // for vector

#include "base/error.hpp"
#include "tree/tree.hpp"

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

// What follows from `test` alone: kinds of tests, and where the second child of every inner node is.

inline TestKind kind_of(std::uint8_t test) { return static_cast<TestKind>(test & ~kMissingTakesSecond); }
inline bool is_leaf(std::uint8_t test) { return test == static_cast<std::uint8_t>(TestKind::leaf); }
inline bool missing_takes_second(std::uint8_t test) { return (test & kMissingTakesSecond) != 0; }

// The second child of every inner node, 0 at leaves. Throws BadInput when `test` is not the preorder of one tree.
inline std::vector<std::uint32_t> second_children(const std::vector<std::uint8_t>& test) {
  std::vector<std::uint32_t> second(test.size(), 0);
  std::vector<std::uint32_t> open;  // inner nodes that wait for their second child
  for (std::size_t i = 0; i < test.size(); ++i) {
    if (!is_leaf(test[i])) {
      open.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    if (open.empty()) {
      if (i + 1 != test.size()) throw BadInput("its nodes do not make one tree: it ends before its last node");
      return second;
    }
    second[open.back()] = static_cast<std::uint32_t>(i + 1);
    open.pop_back();
  }
  throw BadInput("its nodes do not make one tree: " + std::to_string(open.size() + 1) + " nodes are missing");
}

}  // namespace tw
