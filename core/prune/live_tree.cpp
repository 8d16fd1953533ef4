#include "prune/live_tree.hpp"

#include <algorithm>  // for max, max_element
#include <cmath>      // for llround, abs
#include <numeric>    // for iota

#include "base/error.hpp"

namespace tw {

LiveTree::LiveTree(const Tree& tree, const Weighing& weighing)
    : tree_(tree), weighing_(weighing), test_(tree.size()), n_children_(tree.n_children.begin(), tree.n_children.end()),
      first_(tree.children_start.begin(), tree.children_start.end() - 1), weight_(tree.weight), errors_(tree.size(), 0),
      own_(tree.size(), -1) {
  for (const NodeList& list : tree.lists)
    if (list.name != "term" && list.name != "surrogate" && list.name != "surrogate_level")
      throw BadInput("a tree with the list '" + list.name + "' cannot be given other rows");
  std::iota(test_.begin(), test_.end(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    double most = 0;
    for (auto k = tree.count_start[i]; k < tree.count_start[i + 1]; ++k) most = std::max(most, tree.count_weight[k]);
    errors_[i] = weight_[i] - most;
  }
}

void LiveTree::take_place_of_parent(std::int32_t node, std::int32_t child) {
  test_[node] = test_[child], n_children_[node] = n_children_[child], first_[node] = first_[child];
}

void LiveTree::set_sums(std::int32_t node, Sums sums) {
  const std::int64_t most = *std::max_element(sums.classes.begin(), sums.classes.end());
  weight_[node] = double(sums.weight) * weighing_.unit;
  errors_[node] = double(sums.weight - most) * weighing_.unit;
  if (own_[node] < 0) own_[node] = static_cast<std::int32_t>(sums_.size()), sums_.emplace_back();
  sums_[own_[node]] = std::move(sums);
}

Sums LiveTree::stored_sums(std::int32_t node) const {
  Sums sums;
  sums.rows = static_cast<std::uint32_t>(tree_.n_rows[node]);
  sums.classes.assign(tree_.n_classes, 0);
  for (auto k = tree_.count_start[node]; k < tree_.count_start[node + 1]; ++k) {
    const std::int64_t units = std::llround(tree_.count_weight[k] / weighing_.unit);
    sums.classes[tree_.count_class[k]] = units;
    sums.weight += units;
  }
  return sums;
}

GrownNode LiveTree::grown(std::int32_t node) const {
  GrownNode grown;
  grown.sums = own_[node] < 0 ? stored_sums(node) : sums_[own_[node]];
  const std::int32_t test = test_[node];
  for (const auto& [name, numbers] : tree_.extras) grown.extras.push_back(numbers[test]);
  if (is_leaf(node)) return grown;
  Split split;
  split.kind = static_cast<TestKind>(tree_.kind[test]);
  split.column = tree_.column[test], split.threshold = tree_.threshold[test];
  split.n_branches = static_cast<std::uint32_t>(n_children_[node]), split.missing = tree_.missing_branch[test];
  for (auto k = tree_.level_start[test]; k < tree_.level_start[test + 1]; ++k)
    split.levels.push_back({tree_.level[k], tree_.level_branch[k]});
  if (!tree_.terms.empty())
    split.terms.assign(tree_.terms.begin() + tree_.term_start[test], tree_.terms.begin() + tree_.term_start[test + 1]);
  if (!tree_.surrogates.empty())
    split.surrogates.assign(tree_.surrogates.begin() + tree_.surrogate_start[test],
                            tree_.surrogates.begin() + tree_.surrogate_start[test + 1]);
  grown.split = std::make_unique<Split>(std::move(split));
  return grown;
}

Tree LiveTree::write(const Recipe& recipe) const {
  std::vector<std::int32_t> order{0};
  std::vector<GrownNode> nodes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    nodes.push_back(grown(order[i]));
    nodes.back().first_child = order.size();
    for (std::int32_t b = 0; b < n_children_[order[i]]; ++b) order.push_back(child(order[i], b));
  }
  std::vector<std::string> extras;
  for (const auto& entry : tree_.extras) extras.push_back(entry.first);
  return write_tree(nodes, weighing_, recipe, tree_.n_columns, extras);
}

namespace {

constexpr double kRounding = 1e-12;

}  // namespace

std::vector<double> subtree_sums(const Tree& tree, std::span<const double> values) {
  std::vector<double> sums(values.begin(), values.end());
  for (std::size_t i = tree.size(); i-- > 1;) sums[tree.parent[i]] += sums[i];
  return sums;
}

std::vector<std::uint8_t> cheaper_as_leaf(const Tree& tree, std::span<const double> as_leaf,
                                          std::span<const double> kept, double margin) {
  std::vector<std::uint8_t> marks(tree.size(), 0);
  std::vector<double> below(kept.begin(), kept.end());  // cost of a node that asks, as far as its branches are known
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (tree.n_children[i] > 0) {
      const double slack = kRounding * std::max(std::abs(as_leaf[i]), std::abs(below[i]));
      marks[i] = as_leaf[i] <= below[i] + margin + slack;
    }
    const double cost = tree.n_children[i] == 0 || marks[i] ? as_leaf[i] : below[i];
    if (i > 0) below[tree.parent[i]] += cost;
  }
  return marks;
}

}  // namespace tw
