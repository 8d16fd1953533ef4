#include "ensemble/expand_tree.hpp"

#include <algorithm>  // for max, all_of
#include <limits>     // for numeric_limits
#include <string>     // for to_string
#include <utility>    // for pair

#include "base/error.hpp"
#include "ensemble/small_tree.hpp"
#include "grow/finish_tree.hpp"

namespace tw {

namespace {

void copy_tests(const SmallTree& small, Tree& tree) {
  const std::size_t n = small.size();
  std::size_t inner = 0, by_levels = 0;
  tree.level_start.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t test = small.test[i];
    const bool leaf = is_leaf(test);
    tree.n_children.push_back(leaf ? 0 : 2);
    tree.kind.push_back(static_cast<std::uint8_t>(kind_of(test)));
    tree.column.push_back(leaf ? -1 : small.column[inner]);
    tree.threshold.push_back(leaf ? std::numeric_limits<double>::quiet_NaN() : small.threshold[inner]);
    tree.gain.push_back(leaf ? 0 : small.gain[inner]);
    tree.missing_branch.push_back(leaf ? kMissingStops : missing_takes_second(test));
    if (kind_of(test) == TestKind::levels) {
      const auto begin = small.level_start[by_levels], end = small.level_start[by_levels + 1];
      tree.level.insert(tree.level.end(), small.level.begin() + begin, small.level.begin() + end);
      tree.level_branch.insert(tree.level_branch.end(), small.level_branch.begin() + begin,
                               small.level_branch.begin() + end);
      ++by_levels;
    }
    tree.level_start.push_back(static_cast<std::int64_t>(tree.level.size()));
    inner += !leaf;
  }
}

// The mean of two numbers by their weights; of nothing at all the plain mean.
double weighted_mean(double a, double weight_a, double b, double weight_b) {
  const double sum = weight_a + weight_b;
  return sum > 0 ? (weight_a / sum) * a + (weight_b / sum) * b : 0.5 * a + 0.5 * b;
}

// Children have larger numbers than their parents, so one pass from the end adds everything up.
void add_up_numbers(const SmallTree& small, Tree& tree) {
  const std::size_t n = tree.size();
  tree.n_rows.assign(n, 0), tree.weight.assign(n, 0), tree.impurity.assign(n, 0);
  if (tree.n_classes == 0) tree.value.assign(n, 0);
  std::size_t leaf = small.n_leaves();
  for (std::size_t i = n; i-- > 0;) {
    if (tree.n_children[i] == 0) {
      --leaf;
      tree.n_rows[i] = small.n_rows[leaf];
      tree.weight[i] = small.weight.empty() ? small.n_rows[leaf] : small.weight[leaf];
      if (!small.impurity.empty()) tree.impurity[i] = small.impurity[leaf];
      if (tree.n_classes == 0) tree.value[i] = small.value[leaf];
      continue;
    }
    const std::int32_t a = tree.child(i, 0), b = tree.child(i, 1);
    tree.n_rows[i] = tree.n_rows[a] + tree.n_rows[b];
    tree.weight[i] = tree.weight[a] + tree.weight[b];
    const double wa = tree.weight[a], wb = tree.weight[b];
    tree.impurity[i] = tree.gain[i] + weighted_mean(tree.impurity[a], wa, tree.impurity[b], wb);
    if (tree.n_classes == 0) tree.value[i] = weighted_mean(tree.value[a], wa, tree.value[b], wb);
  }
}

using Counts = std::vector<std::pair<std::uint32_t, double>>;

Counts merged(const Counts& a, const Counts& b) {
  Counts both;
  both.reserve(std::max(a.size(), b.size()));
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].first < b[j].first))
      both.push_back(a[i++]);
    else if (i == a.size() || b[j].first < a[i].first)
      both.push_back(b[j++]);
    else
      both.emplace_back(a[i].first, a[i].second + b[j].second), ++i, ++j;
  }
  return both;
}

void add_up_counts(const SmallTree& small, Tree& tree) {
  const std::size_t n = tree.size();
  std::vector<Counts> counts(n);
  std::size_t leaf = small.n_leaves();
  for (std::size_t i = n; i-- > 0;) {
    if (tree.n_children[i] > 0) {
      counts[i] = merged(counts[tree.child(i, 0)], counts[tree.child(i, 1)]);
      continue;
    }
    --leaf;
    for (std::size_t k = small.count_start[leaf]; k < small.count_start[leaf + 1]; ++k)
      counts[i].emplace_back(small.count_class[k], small.count_weight[k]);
  }
  tree.count_start.push_back(0);
  for (const Counts& of_node : counts) {
    for (const auto& [c, weight] : of_node) tree.count_class.push_back(c), tree.count_weight.push_back(weight);
    tree.count_start.push_back(static_cast<std::int64_t>(tree.count_class.size()));
  }
  add_predictions(tree);
}

}  // namespace

Tree expand(const SmallTree& small, std::int32_t n_columns, std::int32_t n_classes) {
  Tree tree;
  tree.n_columns = n_columns, tree.n_classes = n_classes;
  copy_tests(small, tree);
  tree.find_shape();
  tree.read_lists();
  add_up_numbers(small, tree);
  if (n_classes > 0) add_up_counts(small, tree);
  return tree;
}

namespace {

void check_is_binary(const Tree& tree, std::size_t i) {
  const auto kind = static_cast<TestKind>(tree.kind[i]);
  const bool plain = kind == TestKind::threshold || kind == TestKind::levels;
  if (!plain || tree.n_children[i] != 2 || tree.missing_branch[i] < 0)
    throw BadInput("node " + std::to_string(i) + " has another test than the two branches of a small tree");
}

void add_inner(const Tree& tree, std::size_t i, SmallTree& small) {
  check_is_binary(tree, i);
  small.test.push_back(static_cast<std::uint8_t>(tree.kind[i] | (tree.missing_branch[i] ? kMissingTakesSecond : 0)));
  small.column.push_back(tree.column[i]);
  small.threshold.push_back(tree.threshold[i]);
  small.gain.push_back(tree.gain[i]);
  if (static_cast<TestKind>(tree.kind[i]) != TestKind::levels) return;
  if (small.level_start.empty()) small.level_start.push_back(0);
  for (auto k = tree.level_start[i]; k < tree.level_start[i + 1]; ++k)
    small.level.push_back(tree.level[k]), small.level_branch.push_back(static_cast<std::uint8_t>(tree.level_branch[k]));
  small.level_start.push_back(static_cast<std::uint32_t>(small.level.size()));
}

void add_leaf(const Tree& tree, std::size_t i, SmallTree& small) {
  small.test.push_back(static_cast<std::uint8_t>(TestKind::leaf));
  small.n_rows.push_back(static_cast<std::uint32_t>(tree.n_rows[i]));
  small.weight.push_back(tree.weight[i]);
  small.impurity.push_back(tree.impurity[i]);
  if (tree.n_classes == 0) return small.value.push_back(tree.value[i]);
  for (auto k = tree.count_start[i]; k < tree.count_start[i + 1]; ++k) {
    small.count_class.push_back(static_cast<std::uint16_t>(tree.count_class[k]));
    small.count_weight.push_back(tree.count_weight[k]);
  }
  small.count_start.push_back(static_cast<std::uint32_t>(small.count_class.size()));
}

}  // namespace

SmallTree shrink(const Tree& tree) {
  if (!tree.surrogates.empty() || !tree.equation_start.empty())
    throw BadInput("a tree with surrogates or equations has no small form");
  SmallTree small;
  if (tree.n_classes > 0) small.count_start.push_back(0);
  for (std::size_t i = 0; i < tree.size(); ++i)
    tree.n_children[i] > 0 ? add_inner(tree, i, small) : add_leaf(tree, i, small);
  bool rows_are_weights = true;
  for (std::size_t i = 0; i < small.n_leaves(); ++i) rows_are_weights &= small.weight[i] == small.n_rows[i];
  if (rows_are_weights) small.weight.clear();
  if (std::all_of(small.impurity.begin(), small.impurity.end(), [](double x) { return x == 0; }))
    small.impurity.clear();
  return small;
}

}  // namespace tw
