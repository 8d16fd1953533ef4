// How much each row counts in one tree: how often it was drawn, times its weight, in integers.
#pragma once

#include <cstdint>  // for int64_t
#include <vector>   // for vector

#include "grow/forest/forest_rules.hpp"
#include "table/target.hpp"

namespace tw {

// How often each row was drawn for a tree. Where weights_inside, the counts hold the weights of the rows already.
struct Draws {
  const std::vector<std::uint32_t>& counts;
  bool weights_inside = false;
  double repeats = 1;  // the mean count of a drawn unit, seen from the unit: 2 for a bootstrap, 1 without replacement
};

// Fills weights[row] and gives what a unit of them is worth. Class weights multiply them; balanced classes weigh the
// same in this tree, and all together as much as before.
double weigh_rows(const Target& target, const Draws& draws, const ForestRules& rules,
                  std::vector<std::int64_t>& weights);

// Σw²/Σw of one draw each: how much noise a unit of weight carries, in units; 1 where all weights are 1. A unit that is
// drawn again confirms itself and no more. Whole weights are so many rows, each of weight 1.
double noise_of_a_unit(const Target& target, const Draws& draws, const ForestRules& rules,
                       const std::vector<std::int64_t>& weights);

// Fills values[row] with drawn weight × y for a numeric target and gives what a unit is worth. Rows that were drawn
// often may together exceed what the target left room for: then the last bits of all of them go.
double value_rows(const Target& target, const Draws& draws, std::vector<std::int64_t>& values);

}  // namespace tw
