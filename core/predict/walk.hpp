// One step of a row through a stored tree, for any kind of test. `value_of(column)` gives the row's number or level
// code, NaN where it has none.
#pragma once

#include <algorithm>  // for lower_bound
#include <cmath>      // for isnan
#include <cstdint>    // for int32_t

#include "tree/tree.hpp"

namespace tw {

// The branch that a level takes at a node; −1 when the node never saw it.
inline std::int32_t branch_of_level(const Tree& tree, std::size_t node, std::uint32_t code) {
  const auto* begin = tree.level.data() + tree.level_start[node];
  const auto* end = tree.level.data() + tree.level_start[node + 1];
  const auto* at = std::lower_bound(begin, end, code);
  return at != end && *at == code ? tree.level_branch[at - tree.level.data()] : -1;
}

// The branch of a number (or of a level's code) at a node that tests intervals.
inline std::int32_t branch_of_interval(const Tree& tree, std::size_t node, double x) {
  const auto begin = tree.interval_uppers.begin() + tree.interval_start[node];
  const auto end = tree.interval_uppers.begin() + tree.interval_start[node + 1];
  return static_cast<std::int32_t>(std::lower_bound(begin, end, x) - begin);
}

// The side of a hyperplane, or −1 when more than half of what it weighs has no value.
template <class ValueOf>
std::int32_t branch_of_sum(const Tree& tree, std::size_t node, ValueOf&& value_of) {
  double sum = 0, unknown = 0;
  for (auto k = tree.term_start[node]; k < tree.term_start[node + 1]; ++k) {
    const Term& term = tree.terms[k];
    const double x = value_of(term.column);
    if (std::isnan(x))
      sum += term.filler, unknown += term.share;
    else
      sum += term.level == 0 ? term.weight * x : x == double(term.level) ? term.weight : 0.0;
  }
  return unknown > 0.5 ? -1 : !(sum <= tree.threshold[node]);
}

// What the first surrogate with a value says, or −1.
template <class ValueOf>
std::int32_t branch_by_surrogate(const Tree& tree, std::size_t node, ValueOf&& value_of) {
  for (auto k = tree.surrogate_start[node]; k < tree.surrogate_start[node + 1]; ++k) {
    const Surrogate& surrogate = tree.surrogates[k];
    const double x = value_of(surrogate.column);
    if (std::isnan(x)) continue;
    if (surrogate.levels.empty()) return (x <= surrogate.threshold) == surrogate.flip;
    const auto code = static_cast<std::uint32_t>(x);
    const auto at = std::lower_bound(surrogate.levels.begin(), surrogate.levels.end(), code,
                                     [](const auto& level, std::uint32_t c) { return level.first < c; });
    if (at != surrogate.levels.end() && at->first == code) return at->second;
  }
  return -1;
}

// The branch that the node's own test tells, or −1 when it has no value to tell it by.
template <class ValueOf>
std::int32_t branch_of_test(const Tree& tree, std::size_t node, ValueOf&& value_of) {
  if (tree.kind[node] == static_cast<std::uint8_t>(TestKind::hyperplane)) return branch_of_sum(tree, node, value_of);
  const double x = value_of(tree.column[node]);
  if (std::isnan(x)) return -1;
  if (tree.kind[node] == static_cast<std::uint8_t>(TestKind::threshold)) return !(x <= tree.threshold[node]);
  if (tree.kind[node] == static_cast<std::uint8_t>(TestKind::intervals)) return branch_of_interval(tree, node, x);
  return branch_of_level(tree, node, static_cast<std::uint32_t>(x));
}

// The branch that the row takes at an inner node, kMissingStops or kMissingSpreads.
template <class ValueOf>
std::int32_t branch_of_row(const Tree& tree, std::size_t node, ValueOf&& value_of) {
  std::int32_t branch = branch_of_test(tree, node, value_of);
  if (branch < 0 && !tree.surrogate_start.empty()) branch = branch_by_surrogate(tree, node, value_of);
  return branch < 0 ? tree.missing_branch[node] : branch;
}

// The branch with most weight, the first among equals.
inline std::int32_t heaviest_branch(const Tree& tree, std::size_t node) {
  std::int32_t heaviest = 0;
  for (std::int32_t b = 1; b < tree.n_children[node]; ++b)
    if (tree.weight[tree.child(node, b)] > tree.weight[tree.child(node, heaviest)]) heaviest = b;
  return heaviest;
}

// The child that the row goes to, or −1 when it stops here (a leaf, or nowhere to go with a missing value). A row that
// would be spread goes where most of it goes; find_leaf_shares follows all of it.
template <class ValueOf>
std::int32_t next_node(const Tree& tree, std::size_t node, ValueOf&& value_of) {
  if (tree.n_children[node] == 0) return -1;
  std::int32_t branch = branch_of_row(tree, node, value_of);
  if (branch == kMissingSpreads) branch = heaviest_branch(tree, node);
  return branch < 0 ? -1 : tree.child(node, branch);
}

template <class ValueOf>
std::int32_t find_leaf(const Tree& tree, ValueOf&& value_of) {
  std::int32_t node = 0;
  for (std::int32_t next; (next = next_node(tree, node, value_of)) >= 0;) node = next;
  return node;
}

}  // namespace tw
