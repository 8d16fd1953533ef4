#include "grow/finish_tree.hpp"

#include <algorithm>  // for min
#include <vector>     // for vector

namespace tw {
namespace {

bool is_tied(const Tree& tree, std::size_t node, double most) {
  int winners = 0;
  for (auto k = tree.count_start[node]; k < tree.count_start[node + 1]; ++k) winners += tree.count_weight[k] == most;
  return winners > 1;
}

// Walks up until one of the tied classes is strictly ahead of the other tied ones. Classes ascend in every node, so
// two lists are compared in one pass.
std::int32_t settle_tie(const Tree& tree, std::size_t node, double most) {
  std::vector<std::uint32_t> tied;
  for (auto k = tree.count_start[node]; k < tree.count_start[node + 1]; ++k)
    if (tree.count_weight[k] == most) tied.push_back(tree.count_class[k]);
  for (std::int32_t up = tree.parent[node]; up >= 0; up = tree.parent[up]) {
    double best = -1;
    std::uint32_t winner = 0;
    bool strict = false;
    auto k = tree.count_start[up];
    for (const std::uint32_t c : tied) {  // whoever is in a node is in its ancestors too
      while (tree.count_class[k] < c) ++k;
      const double weight = tree.count_weight[k];
      strict = weight > best || (strict && weight < best);
      if (weight > best) best = weight, winner = c;
    }
    if (strict) return static_cast<std::int32_t>(winner);
  }
  return static_cast<std::int32_t>(tied.front());
}

}  // namespace

void add_gains(Tree& tree) {
  tree.gain.assign(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.n_children[i] == 0) continue;
    double inside = 0, gone = 0;
    for (std::int32_t b = 0; b < tree.n_children[i]; ++b) {
      const std::int32_t c = tree.child(i, b);
      inside += tree.weight[c] / tree.weight[i] * tree.impurity[c];
      gone += tree.weight[c];
    }
    const double share = gone < tree.weight[i] * (1 - 1e-12) ? gone / tree.weight[i] : 1;
    const double gain = share * tree.impurity[i] - inside;
    tree.gain[i] = gain > 0 ? gain : 0;
  }
}

void add_predictions(Tree& tree) {
  tree.prediction.assign(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    double most = -1;
    for (auto k = tree.count_start[i]; k < tree.count_start[i + 1]; ++k)
      if (tree.count_weight[k] > most) most = tree.count_weight[k], tree.prediction[i] = tree.count_class[k];
    if (most < 0 && i > 0) tree.prediction[i] = tree.prediction[tree.parent[i]];
    if (is_tied(tree, i, most)) tree.prediction[i] = settle_tie(tree, i, most);
  }
}

void answer_first_class(Tree& tree) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const double margin = 1e-6 * std::min(1.0, tree.weight[i]);  // pieces of rows that are closer are the same
    double most = -1;
    if (i > 0) tree.prediction[i] = tree.prediction[tree.parent[i]];
    for (auto k = tree.count_start[i]; k < tree.count_start[i + 1]; ++k)
      if (tree.count_weight[k] > most + margin) most = tree.count_weight[k], tree.prediction[i] = tree.count_class[k];
  }
}

}  // namespace tw
