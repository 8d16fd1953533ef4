#include "ensemble/tree_top.hpp"

#include "ensemble/small_shape.hpp"

namespace tw {
namespace {

struct Spot {
  std::uint32_t depth, place;
};

void copy_test(const SmallTree& whole, std::uint8_t test, std::size_t inner, std::size_t by_levels, SmallTree& top) {
  top.test.push_back(test);
  top.column.push_back(whole.column[inner]);
  top.threshold.push_back(whole.threshold[inner]);
  if (kind_of(test) != TestKind::levels) return;
  if (top.level_start.empty()) top.level_start.push_back(0);
  for (std::size_t k = whole.level_start[by_levels]; k < whole.level_start[by_levels + 1]; ++k)
    top.level.push_back(whole.level[k]), top.level_branch.push_back(whole.level_branch[k]);
  top.level_start.push_back(static_cast<std::uint32_t>(top.level.size()));
}

}  // namespace

// A FlatLayout gives the first inner node of the preorder places 2 and 3 for its children, the next 4 and 5 …
TreeTop top_of(const SmallTree& whole, std::uint32_t n_levels) {
  TreeTop top;
  std::vector<Spot> second;  // children to come
  Spot at{0, 0};
  std::uint32_t inner = 0, by_levels = 0;
  for (const std::uint8_t test : whole.test) {
    if (at.depth == n_levels || (is_leaf(test) && at.depth < n_levels)) {
      top.tree.test.push_back(static_cast<std::uint8_t>(TestKind::leaf));
      top.tree.n_rows.push_back(0);
      top.entry.push_back(at.place);
    }
    if (is_leaf(test)) {
      if (second.empty()) break;
      at = second.back();
      second.pop_back();
      continue;
    }
    if (at.depth < n_levels) copy_test(whole, test, inner, by_levels, top.tree);
    by_levels += kind_of(test) == TestKind::levels;
    second.push_back({at.depth + 1, 2 * inner + 3});
    at = {at.depth + 1, 2 * inner + 2};
    ++inner;
  }
  return top;
}

}  // namespace tw
