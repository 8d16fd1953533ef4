#include <algorithm>  // for all_of
#include <string>     // for to_string

#include "base/error.hpp"
#include "ensemble/expand_tree.hpp"

namespace tw {
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
