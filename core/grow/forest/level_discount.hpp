// What is left of the score of a grouping of levels before it is compared with other columns in a forest.
//
// Sorted by their rate, levels look good even on noise, the better the more of them there are. How much they would on
// pure noise is known: all levels apart would gain (levels − 1) · Σw²/Σw impurities of one row. (Σw²/Σw is 1 without
// weights and 2 for a bootstrap, where rows that were drawn twice confirm themselves.) How much they do gain is
// counted. The score keeps the share that is not explained by noise, as the adjusted R² does. A fully grown forest
// meets thousands of small nodes with about as many levels as rows, so this goes for every column of more than two
// levels; a single tree charges only those of more than 255, to be rpart's equal (see grow/finder/levels_by_rate.hpp).
#pragma once

#include <algorithm>  // for max
#include <cstddef>    // for size_t

namespace tw {

// gain: of all levels apart. noise: see noise_of_a_unit.
inline double level_discount(std::size_t n_levels, double gain, double impurity_of_one, double noise_of_one) {
  if (n_levels <= 2) return 1;
  const double noise = static_cast<double>(n_levels - 1) * impurity_of_one * noise_of_one;
  return gain > 0 ? std::max(0.0, 1 - noise / gain) : 0;
}

}  // namespace tw
