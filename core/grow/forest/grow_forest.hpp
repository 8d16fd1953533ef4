// Grows the trees of a forest; threads share them out.
#pragma once

#include <functional>  // for function
#include <vector>      // for vector

#include "base/progress.hpp"
#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"
#include "grow/forest/drawn_rows.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/forest_rules.hpp"
#include "grow/forest/random_cuts/cell_rows.hpp"
#include "table/target.hpp"

namespace tw {

// done(tree, grown, counts) is called by the thread that grew the tree, with how often it drew each row.
using TreeDone = std::function<void(std::uint32_t tree, SmallTree& grown, const std::vector<std::uint32_t>& counts)>;

// What a forest is grown from beside the cells of its table.
struct ForestTask {
  const Target& target;
  const RowDrawer& drawer;
  const ForestRules& rules;
  Workers& workers;
  Progress& progress;
};

void grow_trees(const ForestCodes& codes, const ForestTask& task, const TreeDone& done);     // best cuts
void grow_trees(const CellRows<float>& rows, const ForestTask& task, const TreeDone& done);  // random cuts
void grow_trees(const CellRows<double>& rows, const ForestTask& task, const TreeDone& done);

// Calls f with the cells that the trees of a forest are grown from, and that their rows are walked by.
template <class F>
void with_cells_of(const Table& table, const ForestRules& rules, Workers& workers, F f) {
  if (!rules.random_cuts) return f(code_for_forest(table, workers));
  if (fits_floats(table)) return f(cells_by_rows<float>(table, workers));
  f(cells_by_rows<double>(table, workers));
}

}  // namespace tw
