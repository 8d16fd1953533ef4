// FlatTree: the nodes of a binary tree laid out for walking many rows.
//
// Two siblings stand side by side, so a step is  node = child + goes right. The pairs follow each other in preorder:
// a row that keeps left stays in the cache lines that it has. Thresholds are what the rows are: floats for rows of
// floats, rounded down, which gives the same answers, in nodes of 8 bytes where columns and nodes fit; else doubles.
#pragma once

#include <cmath>    // for isgreater, isunordered
#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "predict/frame.hpp"

namespace tw {

// A test of one column, or a leaf. number(): of the first child's place, or of the leaf.
struct ShortNode {
  static constexpr std::size_t kMostColumns = 1 << 8, kMostNodes = 1 << 22;
  float threshold;
  std::uint32_t word;  // number << 10 | missing goes right << 9 | is a leaf << 8 | column

  static ShortNode leaf(std::uint32_t number) { return {0, number << 10 | 1 << 8}; }
  static ShortNode inner(std::uint32_t child, std::uint32_t column, double threshold, bool missing_right) {
    return {round_down<float>(threshold), child << 10 | static_cast<std::uint32_t>(missing_right) << 9 | column};
  }
  bool is_leaf() const { return word & 1 << 8; }
  std::uint32_t missing_right() const { return word >> 9 & 1; }
  std::uint32_t column() const { return word & 0xff; }
  std::uint32_t number() const { return word >> 10; }
};

struct LongNode {
  static constexpr std::size_t kMostColumns = 1u << 29, kMostNodes = 1u << 31;
  union {
    double threshold;
    std::uint32_t set;  // of levels: its number
  };
  std::uint32_t first;
  std::uint32_t test;  // column << 3 | by levels << 2 | missing goes right << 1 | is a leaf

  static LongNode leaf(std::uint32_t number) { return {{0}, number, 1}; }
  static LongNode inner(std::uint32_t child, std::uint32_t column, double threshold, bool missing_right) {
    return {{threshold}, child, column << 3 | static_cast<std::uint32_t>(missing_right) << 1};
  }
  static LongNode by_levels(std::uint32_t child, std::uint32_t column, std::uint32_t set, bool missing_right) {
    LongNode node = inner(child, column, 0, missing_right);
    node.set = set;
    node.test |= 4;
    return node;
  }
  bool is_leaf() const { return test & 1; }
  bool by_levels() const { return test & 4; }
  std::uint32_t missing_right() const { return test >> 1 & 1; }
  std::uint32_t column() const { return test >> 3; }
  std::uint32_t number() const { return first; }
};

template <class Node>
bool fits(std::size_t n_nodes, std::size_t n_columns) {
  return n_nodes < Node::kMostNodes && n_columns <= Node::kMostColumns;
}

// Where a row goes from an inner node.
template <class Node, class Number>
inline std::uint32_t next_place(const Node& node, const Number* row) {
  const Number x = row[node.column()];
  const bool right = std::isgreater(x, node.threshold);
  return node.number() + (right | (std::isunordered(x, node.threshold) & node.missing_right()));
}

// Takes the nodes of a tree in preorder and puts them in their places, the root at nodes[root]. As many places as there
// are nodes and one more are used: a pair starts at an even distance, so that it lies in one line of the cache.
template <class Node>
class FlatLayout {
 public:
  explicit FlatLayout(Node* nodes, std::uint32_t root = 0) : nodes_(nodes), at_(root), free_(root + 2) {}

  void inner(std::uint32_t column, double threshold, bool missing_right) {
    nodes_[at_] = Node::inner(free_, column, threshold, missing_right);
    go_down();
  }
  void by_levels(std::uint32_t column, std::uint32_t set, bool missing_right) {
    nodes_[at_] = Node::by_levels(free_, column, set, missing_right);
    go_down();
  }
  void leaf(std::uint32_t number) {
    nodes_[at_] = Node::leaf(number);
    if (second_.empty()) return;
    at_ = second_.back();
    second_.pop_back();
  }

 private:
  void go_down() {
    second_.push_back(free_ + 1);
    at_ = free_;
    free_ += 2;
  }

  Node* nodes_;
  std::uint32_t at_, free_;
  std::vector<std::uint32_t> second_;  // places of the second children to come
};

}  // namespace tw
