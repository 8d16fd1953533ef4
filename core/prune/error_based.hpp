// Error-based pruning (Quinlan 1993, chapter 4), as J48 and C4.5 release 8 do it after growing: collapse what gets no
// more rows right, then replace subtrees by a leaf or by their largest branch where no more errors are to be expected.
#pragma once

#include <span>  // for span

#include "base/workers.hpp"
#include "grow/recipe.hpp"
#include "prune/pessimistic_error.hpp"
#include "table/column.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

struct ErrorPruning {
  bool collapse = true, prune = true, raise = true;
  bool first_answers = true;  // a node answers the first of its heaviest classes, as both programs do
  PessimisticError pessimistic;
};

// rows: those that the tree was grown from. recipe: its criterion says which impurity is stored.
Tree prune_by_errors(const Tree& tree, const Table& table, const Target& target, std::span<const std::uint32_t> rows,
                     const Recipe& recipe, const ErrorPruning& how, Workers& workers);

}  // namespace tw
