// The cut of a chosen column: of all admissible divisions in two, the one with the largest statistic.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "grow/tables/conditional/association.hpp"

namespace tw {

// branch[i] is the side of value i: 0 or 1. An ordered cut puts the values before `place` to the left.
struct Cut {
  bool found = false;
  double steps = 0;
  std::size_t place = 0;
  std::vector<std::uint8_t> branch;
};

// `least`: no side may have less weight, in units. `last_is_missing`: the last value is the rows without a value, which
// may join either side. The first of equally good cuts is taken; missing rows go left first.
Cut cut_ordered(const Deviations& column, StatisticKind kind, double least, bool last_is_missing);

// Of levels, the first stays left; sets that go right are ordered as binary numbers, the second level the lowest bit.
Cut cut_levels(const Deviations& column, StatisticKind kind, double least);

}  // namespace tw
