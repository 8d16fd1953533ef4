#include "grow/forest/keep_leaves.hpp"

#include "ensemble/expand_tree.hpp"
#include "grow/assemble_tree.hpp"

namespace tw {

void keep_leaves(SmallTree& tree, std::int64_t max_leaves, std::int32_t n_columns, std::int32_t n_classes) {
  if (static_cast<std::int64_t>(tree.n_leaves()) <= max_leaves) return;
  tree = shrink(keep_best_leaves(expand(tree, n_columns, n_classes), max_leaves));
}

}  // namespace tw
