// From a grown tree to a model tree (M5, Quinlan 1992; M5', Wang and Witten 1997): an equation for every node, pruning
// from below, and smoothing, all worked into one equation a node so that a prediction needs only one.
#pragma once

#include <cstdint>  // for int64_t
#include <vector>   // for vector

#include "base/workers.hpp"
#include "table/column.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

struct ModelTreeRules {
  bool prune = true;
  double penalty = 2;           // the adjusted error of a subtree is error × (n + penalty v) / (n − v)
  double smoothing = 15;        // an equation is mixed with its parent's as if that stood for so many rows
  std::int64_t max_terms = 50;  // of one equation, before it is mixed with others
};

// One equation a node: intercept + Σ coefficient × (the column's number, or 1 where the row has the level).
struct NodeEquations {
  std::vector<double> intercept;
  std::vector<std::int64_t> start;  // slice of the arrays below for each node
  std::vector<std::int32_t> column;
  std::vector<std::uint32_t> level;  // 0: the column's number
  std::vector<double> coefficient;
  std::vector<double> fill;        // by column: the number of a row that has none
  std::vector<double> importance;  // by column: what equations explain inside leaves, as a share of all variance
};

struct ModelTree {
  Tree tree;
  NodeEquations equations;
};

ModelTree make_model_tree(const Tree& grown, const Table& table, const Target& target, const ModelTreeRules& rules,
                          Workers& workers);

}  // namespace tw
