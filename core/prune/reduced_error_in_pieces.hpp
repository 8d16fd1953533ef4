// Reduced-error pruning of a tree whose rows are spread (J48's -R): a subtree that is no better than its root on rows
// that were kept for it becomes a leaf, children first.
#pragma once

#include <span>  // for span

#include "base/workers.hpp"
#include "grow/recipe.hpp"
#include "table/column.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

// grown: the rows that the tree was grown from; kept: the others. Kept rows without a value are shared out as the
// growing rows were.
Tree prune_by_kept_rows(const Tree& tree, const Table& table, const Target& target,
                        std::span<const std::uint32_t> grown, std::span<const std::uint32_t> kept, const Recipe& recipe,
                        Workers& workers);

}  // namespace tw
