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

enum class TestKind : std::uint8_t { leaf = 0, threshold = 1, levels = 2, hyperplane = 3, intervals = 4 };

// In missing_branch: where a row without a value goes if not to one branch.
constexpr std::int32_t kMissingStops = -1;    // it ends at this node
constexpr std::int32_t kMissingSpreads = -2;  // it goes down every branch, in pieces as large as the branches' weights

// A list of numbers for each node: `start` has one more entry than there are nodes, and every field has start.back().
// Stored as the arrays NAME_start and NAME_FIELD. What the lists "term", "surrogate" and "surrogate_level" mean is
// written in docs/design.md 2.2, and so is "equation"; others ride along.
struct NodeList {
  std::string name;
  std::vector<std::int64_t> start;
  std::vector<std::pair<std::string, std::vector<double>>> fields;

  const std::vector<double>* field(const char* wanted) const {
    for (const auto& [known, numbers] : fields)
      if (known == wanted) return &numbers;
    return nullptr;
  }
};

// A summand of a hyperplane test or of an equation: weight · x, or weight where the level is `level`; `filler` where
// there is no value.
struct Term {
  std::int32_t column = 0;
  std::uint32_t level = 0;  // 0: a number
  double weight = 0, filler = 0;
  double share = 0;  // of the whole test, by which a row with too few values is told
};

// A test that stands in where a node's own column has no value.
struct Surrogate {
  std::int32_t column = 0;
  double threshold = 0;  // NaN: by level
  bool flip = false;     // x <= threshold takes branch 1
  double agreement = 0, adjusted = 0;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> levels;  // ascending codes and their branches
};

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
  std::vector<NodeList> lists;                                      // optional lists per node

  // derived from n_children by find_shape()
  std::vector<std::int64_t> children_start;
  std::vector<std::int32_t> children, parent, depth;

  // derived from `lists` by read_lists()
  // empty when the tree has none
  std::vector<std::int64_t> term_start, surrogate_start, interval_start, equation_start;
  std::vector<Term> terms, equation_terms;
  std::vector<Surrogate> surrogates;
  std::vector<double> interval_uppers;  // branch b of a test by intervals takes what is at most its b-th upper bound

  std::size_t size() const { return n_children.size(); }
  std::int32_t child(std::size_t node, std::int32_t branch) const {
    return children[static_cast<std::size_t>(children_start[node] + branch)];
  }

  // Fills the derived arrays. Throws BadInput when n_children is not the shape of one tree.
  void find_shape();
  // Fills terms, surrogates and intervals. Throws BadInput when a list is not what its name says.
  void read_lists();
  // Throws BadInput with a sentence when any array could make a reader stumble.
  void check() const;

  const NodeList* list(const char* name) const;
  const std::vector<double>* extra(const char* name) const;
  bool spreads() const;  // whether some row may go down several branches
};

// The tree that is left when the marked nodes become leaves (whatever stands below them is dropped).
Tree cut_at(const Tree& tree, const std::vector<std::uint8_t>& becomes_leaf);

}  // namespace tw
