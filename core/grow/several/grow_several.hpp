// Trees of several targets: one shape and one test a node, and what the node holds of each target.
#pragma once

#include <span>    // for span
#include <vector>  // for vector

#include "base/workers.hpp"
#include "grow/recipe.hpp"
#include "table/column.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

// One tree a target; they differ in nothing but the counts or values of their nodes. Options of the recipe, each of
// them left out by default: "max_features" and "draw_seed" (the columns that a node looks at), "random_cuts".
std::vector<Tree> grow_several(const Table& table, std::span<const Target* const> targets, const Recipe& recipe,
                               Workers& workers);

}  // namespace tw
