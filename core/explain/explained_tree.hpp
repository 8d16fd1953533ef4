// ExplainedTree: a stored tree with what each of its nodes adds to the outputs of a model.
#pragma once

#include <cstddef>     // for size_t
#include <functional>  // for function
#include <memory>      // for shared_ptr
#include <vector>      // for vector

#include "ensemble/add_answers.hpp"
#include "ensemble/ensemble.hpp"
#include "tree/tree.hpp"

namespace tw {

struct ExplainedTree {
  std::shared_ptr<const Tree> tree;
  std::vector<double> answers;  // nodes × n_answers, row-major; of a small tree those of the leaves only, and of one
                                // with equations what they give when no column is known
  std::size_t n_answers = 1;    // they belong to the outputs from first_output on
  std::size_t first_output = 0;
  double factor = 1;  // that is in the answers, and has to be in those of equations
};

// The trees of a model, made one by one: those of a forest are ordinary trees only while they are looked at.
struct ExplainedTrees {
  std::size_t n_trees = 0, n_columns = 0, n_outputs = 0;
  std::size_t most_sums = 0;  // of columns, in the tests of one tree
  std::function<ExplainedTree(std::size_t)> tree;
};

// What the trees of an ensemble add to its sums, times `factor`.
ExplainedTrees explained(const Ensemble& ensemble, Answer answer, std::size_t n_outputs, double factor);

}  // namespace tw
