// From a grown tree to a model tree (M5, Quinlan 1992; M5', Wang and Witten 1997): an equation for every node, pruning
// from below, and smoothing, all worked into one equation a node so that a prediction needs only one.
#pragma once

#include <cstdint>  // for int64_t

#include "base/workers.hpp"
#include "table/column.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

struct ModelTreeRules {
  bool prune = true;
  bool clip = true;             // no answer outside of the range of the targets
  double penalty = 2;           // the adjusted error of a subtree is error × (n + penalty v) / (n − v)
  double smoothing = 15;        // an equation is mixed with its parent's as if that stood for so many rows
  std::int64_t max_terms = 50;  // of one equation, before it is mixed with others
};

// The pruned tree with the list "equation" and the numbers "intercept", "lowest" and "highest" (docs/design.md 2.2).
Tree make_model_tree(const Tree& grown, const Table& table, const Target& target, const ModelTreeRules& rules,
                     Workers& workers);

}  // namespace tw
