#include "model_tree/model_tree.hpp"

#include <algorithm>  // for min, max
#include <vector>     // for vector

#include "model_tree/equation_term.hpp"
#include "model_tree/equation_writer.hpp"
#include "model_tree/node_equations.hpp"

namespace tw {
namespace {

// No answer leaves the range of the targets seen in training.
void keep_in_range(const Target& target, Tree& tree) {
  double low = target.numbers[target.rows[0]], high = low;
  for (auto row : target.rows) low = std::min(low, target.numbers[row]), high = std::max(high, target.numbers[row]);
  tree.extras.emplace_back("lowest", std::vector<double>(tree.size(), low));
  tree.extras.emplace_back("highest", std::vector<double>(tree.size(), high));
}

}  // namespace

Tree make_model_tree(const Tree& grown, const Table& table, const Target& target, const ModelTreeRules& rules,
                     Workers& workers) {
  NodeEquations nodes(grown, table, target, rules, workers);
  nodes.fit_all();
  const std::vector<std::uint8_t> becomes_leaf = nodes.prune();
  Smoother smoother(nodes, grown, rules.smoothing);
  EquationWriter writer(nodes, table, target);
  ReachableLevels levels(grown);
  for (std::size_t node = 0; node < grown.size();) {
    workers.checkpoint();
    levels.go_to(node);
    const bool leaf = becomes_leaf[node] || grown.n_children[node] == 0;
    writer.write(smoother.smooth(node), node, levels, leaf);
    node = leaf ? nodes.end(node) : node + 1;
  }
  Tree tree = cut_at(grown, becomes_leaf);
  writer.finish(tree);
  if (rules.clip) keep_in_range(target, tree);
  tree.read_lists();
  return tree;
}

}  // namespace tw
