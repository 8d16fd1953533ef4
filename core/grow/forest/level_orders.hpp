// Two-way groupings of levels in a forest, for three classes or more. A single tree tries many (level_groupings.hpp); a
// forest asks at thousands of small nodes, so it tries every grouping of up to six levels, and of more levels the
// prefixes of their order along the first principal direction of the class shares.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "grow/exact/finder/level_groupings.hpp"

namespace tw {

constexpr std::size_t kMostGroupedLevels = 6;

// As for_each_grouping: reset() empties the left branch, move(level) puts a level into it, visit(number) is called when
// a grouping is complete and returns false to stop. order: of the levels, where there are more than six.
template <class Reset, class Move, class Visit>
void for_each_forest_grouping(std::uint32_t n_levels, const std::vector<std::uint32_t>& order, Reset reset, Move move,
                              Visit visit) {
  if (n_levels > kMostGroupedLevels) {
    reset();
    for (std::uint32_t i = 0; i + 1 < n_levels; ++i) {
      move(order[i]);
      if (!visit(i + 1)) return;
    }
    return;
  }
  for (std::uint32_t mask = 1; mask < (1u << (n_levels - 1));
       ++mask) {  // bit i: level i + 1 is away from the first one
    reset();
    for (std::uint32_t l = 0; l < n_levels; ++l)
      if (l == 0 || !(mask >> (l - 1) & 1)) move(l);
    if (!visit(mask)) return;
  }
}

}  // namespace tw
