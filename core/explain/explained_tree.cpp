#include "explain/explained_tree.hpp"

#include "ensemble/expand_tree.hpp"
#include "ensemble/leaf_votes.hpp"

namespace tw {
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
