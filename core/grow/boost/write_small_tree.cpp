#include "grow/boost/write_small_tree.hpp"

#include <algorithm>  // for sort
#include <limits>     // for numeric_limits

#include "tree/tree.hpp"

namespace tw {
namespace {

// The levels that a node has, ascending, with their branches. Of a wide column only those are written that do not go
// where missing goes: the others come there by themselves, and a model of 10,000 levels would be mostly lists.
void write_levels(const BoostedNode& node, const BinnedColumn& column, SmallTree& tree) {
  if (tree.level_start.empty()) tree.level_start.push_back(0);
  const std::uint8_t missing = node.split.missing_second;
  const auto write = [&](std::uint32_t level, std::uint8_t branch) {
    tree.level.push_back(level);
    tree.level_branch.push_back(branch);
  };
  if (column.stands_for >= 0) {
    const std::size_t before = tree.level.size();
    for (std::uint32_t level = 1; level < column.bin_of_level.size(); ++level)
      if (const std::uint8_t bin = column.bin_of_level[level]; bin && node.side[bin] != missing) write(level, !missing);
    if (tree.level.size() == before)  // by the order of all rows every level goes where missing goes
      for (std::uint32_t level = 1; level < column.bin_of_level.size(); ++level)
        if (column.bin_of_level[level]) write(level, missing);
  } else {
    std::vector<std::uint32_t> levels = node.split.levels;
    std::sort(levels.begin(), levels.end());
    for (const std::uint32_t level : levels)
      if (column.is_narrow() || node.side[level] != missing) write(level, node.side[level]);
  }
  tree.level_start.push_back(static_cast<std::uint32_t>(tree.level.size()));
}

void write_test(const BoostedNode& node, const BinnedTable& table, const FixedRules& rules, SmallTree& tree) {
  const BinnedColumn& column = table.columns[node.split.column];
  const bool by_levels = column.kind == Kind::nominal || column.stands_for >= 0;
  const auto kind = static_cast<std::uint8_t>(by_levels ? TestKind::levels : TestKind::threshold);
  tree.test.push_back(kind | (node.split.missing_second ? kMissingTakesSecond : 0));
  tree.column.push_back(column.stands_for >= 0 ? column.stands_for : node.split.column);
  tree.threshold.push_back(by_levels ? std::numeric_limits<double>::quiet_NaN() : column.cut[node.split.last_code]);
  // per unit of weight, so that weight · gain is the gain
  tree.gain.push_back((node.split.score - node.undivided) / 2 * rules.score_unit() /
                      (static_cast<double>(node.sum.hessian) * rules.units.hessian));
  if (by_levels) write_levels(node, column, tree);
}

}  // namespace

SmallTree write_small_tree(const std::vector<BoostedNode>& nodes, const BinnedTable& table, const FixedRules& rules) {
  SmallTree tree;
  std::vector<std::int32_t> open{0};
  while (!open.empty()) {
    const BoostedNode& node = nodes[open.back()];
    open.pop_back();
    if (!node.is_leaf()) {
      write_test(node, table, rules, tree);
      open.push_back(node.child[1]);
      open.push_back(node.child[0]);
      continue;
    }
    tree.test.push_back(static_cast<std::uint8_t>(TestKind::leaf));
    tree.n_rows.push_back(node.size());
    tree.weight.push_back(static_cast<double>(node.sum.hessian) * rules.units.hessian);
    tree.value.push_back(node.value);
  }
  return tree;
}

}  // namespace tw
