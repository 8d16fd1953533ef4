#include "forest/keep_leaves.hpp"

#include <utility>  // for pair

#include "ensemble/expand_tree.hpp"
#include "grow/assemble_tree.hpp"

namespace tw {
namespace {

// The codes of the cuts that are left: both trees are passed side by side.
std::vector<std::uint32_t> remaining_cuts(const GrownTree& before, const SmallTree& after) {
  std::vector<std::uint32_t> cuts, waiting;  // waiting: second branches of the tree before
  std::uint32_t at = 0, n_by_levels = 0;
  for (std::size_t node = 0; node < after.size(); ++node) {
    const std::uint8_t kind = after.test[node] & 0x7f;
    if (kind == 0) {
      if (waiting.empty()) break;
      at = waiting.back();
      waiting.pop_back();
      continue;
    }
    const bool by_levels = kind == static_cast<std::uint8_t>(TestKind::levels);
    cuts.push_back(by_levels ? n_by_levels++ : before.cut[before.inner[at]]);
    waiting.push_back(before.second[at]);
    ++at;
  }
  return cuts;
}

}  // namespace

void keep_leaves(GrownTree& grown, std::int64_t max_leaves, std::int32_t n_columns, std::int32_t n_classes) {
  if (static_cast<std::int64_t>(grown.tree.n_leaves()) <= max_leaves) return;
  SmallTree smaller = shrink(keep_best_leaves(expand(grown.tree, n_columns, n_classes), max_leaves));
  grown.cut = remaining_cuts(grown, smaller);
  grown.tree = std::move(smaller);
  link_nodes(grown);
}

}  // namespace tw
