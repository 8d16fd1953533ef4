// The equations of a tree as players of the game.
//
// The equation of a node is one player. Known, it answers as the model does; else it answers with what it gives for a
// row without any value. What it earns is parted among its columns by what each adds beyond that. Where the answer is
// kept in a range, every part shrinks alike.
#pragma once

#include <cstddef>     // for size_t
#include <functional>  // for function
#include <memory>      // for shared_ptr
#include <vector>      // for vector

#include "ensemble/add_answers.hpp"
#include "ensemble/ensemble.hpp"
#include "explain/game_tree.hpp"
#include "predict/class_shares.hpp"
#include "tree/tree.hpp"

namespace tw {

// What each node answers to a row without any value.
std::vector<double> answers_without_columns(const Tree& tree);

// What a row adds to it at a node, column by column; gives the sum.
double equation_parts(const Tree& tree, std::size_t node, const std::vector<double>& row, std::vector<Part>& parts);

// ExplainedTree: a stored tree with what each of its nodes adds to the outputs of a model.

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
