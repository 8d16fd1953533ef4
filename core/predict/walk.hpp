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

// The child that the row goes to, or −1 when it stops here (a leaf, or nowhere to go with a missing value).
template <class ValueOf>
std::int32_t next_node(const Tree& tree, std::size_t node, ValueOf&& value_of) {
  if (tree.n_children[node] == 0) return -1;
  const double x = value_of(tree.column[node]);
  std::int32_t branch = -1;
  if (!std::isnan(x)) {
    branch = tree.kind[node] == static_cast<std::uint8_t>(TestKind::threshold)
                 ? !(x <= tree.threshold[node])
                 : branch_of_level(tree, node, static_cast<std::uint32_t>(x));
  }
  if (branch < 0) branch = tree.missing_branch[node];
  return branch < 0 ? -1 : tree.child(node, branch);
}

template <class ValueOf>
std::int32_t find_leaf(const Tree& tree, ValueOf&& value_of) {
  std::int32_t node = 0;
  for (std::int32_t next; (next = next_node(tree, node, value_of)) >= 0;) node = next;
  return node;
}

}  // namespace tw
