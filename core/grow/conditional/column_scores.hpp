// What the values of an ordered column count as in a test.
#pragma once

#include <vector>  // for vector

#include "grow/tables/splitter.hpp"

namespace tw {

// By code − 1. Numbers are themselves, divided by a power of two so that squares do not overflow; an infinity lies one
// range beyond the last finite number. Ordinal levels are 1, 2, 3 … among those that occur at the root, as in partykit.
// Nominal columns have none.
std::vector<double> column_scores(const NodeView& root, std::int32_t column);

}  // namespace tw
