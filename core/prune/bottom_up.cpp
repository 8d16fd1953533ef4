#include "prune/bottom_up.hpp"

#include <algorithm>  // for max
#include <cmath>      // for abs

namespace tw {
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
