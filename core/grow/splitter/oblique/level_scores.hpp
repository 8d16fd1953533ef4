// What the levels of a nominal column count as in a sum: their mean, the log-odds of the second class, or, of three
// classes and more, where their shares lie along the first principal axis of all of them. Means and shares are first
// drawn towards those of all rows that have a level, as if five such rows were added to each: rare levels stay in the
// middle.
#pragma once

#include "grow/splitter/oblique/standardized_rows.hpp"
#include "grow/tables/splitter.hpp"

namespace tw {

constexpr std::size_t kMostScoredLevels = 50;

// A nominal column of a node with the scores of its levels as values. Not sound where they cannot be told.
StandardizedColumn scored_column(const NodeView& node, std::int32_t column);

}  // namespace tw
