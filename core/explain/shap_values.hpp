// Shapley values of the columns for the answers of a model, by the training weights of its trees.
#pragma once

#include <vector>  // for vector

#include "base/workers.hpp"
#include "explain/explained_tree.hpp"
#include "predict/frame.hpp"

namespace tw {

// values: rows × columns × outputs, row-major, zeros on entry. A row's values add up to its answer less expected().
void shap_values(const ExplainedTrees& trees, const Frame& frame, double* values, Workers& workers);

// What the trees answer when nothing is known of a row, for every output.
std::vector<double> expected_answers(const ExplainedTrees& trees);

}  // namespace tw
