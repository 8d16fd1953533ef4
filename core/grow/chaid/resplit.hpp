// Dividing a merged group again, where the best division in two is significant after all.
#pragma once

#include "grow/chaid/groups.hpp"

namespace tw::chaid {

// A nominal group of more categories than this is put in the order of their rates, not divided in every way.
constexpr std::size_t kMostSubsets = 12;

void resplit(Groups& groups, std::size_t place, Merging merging, double log_alpha);

}  // namespace tw::chaid
