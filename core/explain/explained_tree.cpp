#include "explain/explained_tree.hpp"

#include <algorithm>  // for clamp
#include <limits>     // for numeric_limits

#include "ensemble/expand_tree.hpp"
#include "ensemble/leaf_votes.hpp"

namespace tw {

namespace {

double without_columns(const Equations& equations, std::size_t node) {
  return equations.value(node, [](std::int32_t) { return std::numeric_limits<double>::quiet_NaN(); });
}

}  // namespace

std::vector<double> answers_without_columns(const Tree& tree) {
  const Equations equations(tree);
  std::vector<double> answers;
  for (std::size_t i = 0; i < tree.size(); ++i) answers.push_back(without_columns(equations, i));
  return answers;
}

double equation_parts(const Tree& tree, std::size_t node, const std::vector<double>& row, std::vector<Part>& parts) {
  const Equations equations(tree);
  const double whole =
      equations.value(node, [&](std::int32_t column) { return row[column]; }) - without_columns(equations, node);
  double sum = 0;
  parts.clear();
  for (auto k = tree.equation_start[node]; k < tree.equation_start[node + 1]; ++k) {
    const Term& term = tree.equation_terms[k];
    const double x = row[term.column];
    const double given = term.level == 0 ? term.weight * x : x == double(term.level) ? term.weight : 0.0;
    parts.push_back({term.column, std::isfinite(x) ? given - term.filler : 0.0});
    sum += parts.back().share;
  }
  // Kept in its range an answer moves less than the parts say, never further. Where numbers are so large that nothing
  // can be said, the columns share alike.
  if (!std::isfinite(sum)) {
    for (Part& part : parts) part.share = whole / double(parts.size());
    return whole;
  }
  const double scale = sum != 0 ? std::clamp(whole / sum, 0.0, 1.0) : 1.0;
  for (Part& part : parts) part.share *= scale;
  return whole;
}

namespace {

ExplainedTree explain_tree(const Ensemble& ensemble, Answer answer, std::size_t i, std::size_t n_outputs,
                           double factor) {
  ExplainedTree made;
  made.tree = std::make_shared<const Tree>(expand(ensemble.trees[i], ensemble.n_columns, ensemble.n_classes));
  const Tree& tree = *made.tree;
  const bool values = answer == Answer::values;
  made.n_answers = values ? 1 : n_outputs;
  made.first_output = values ? i % n_outputs : 0;
  made.answers.assign(tree.size() * made.n_answers, 0.0);
  const LeafVotes* votes = values                    ? nullptr
                           : answer == Answer::votes ? &ensemble.leaf_votes()
                                                     : &ensemble.leaf_shares();
  std::uint32_t leaf = 0;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.n_children[node] > 0) continue;
    double* to = made.answers.data() + node * made.n_answers;
    if (values)
      *to = tree.value[node];
    else
      votes->add(i, leaf, to);
    for (std::size_t k = 0; k < made.n_answers; ++k) to[k] *= factor;
    ++leaf;
  }
  return made;
}

}  // namespace

ExplainedTrees explained(const Ensemble& ensemble, Answer answer, std::size_t n_outputs, double factor) {
  ExplainedTrees trees;
  trees.n_trees = ensemble.trees.size(), trees.n_outputs = n_outputs;
  trees.n_columns = static_cast<std::size_t>(ensemble.n_columns);
  trees.tree = [&ensemble, answer, n_outputs, factor](std::size_t i) {
    return explain_tree(ensemble, answer, i, n_outputs, factor);
  };
  return trees;
}

}  // namespace tw
