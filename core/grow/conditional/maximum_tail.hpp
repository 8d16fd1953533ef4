// The chance that the largest of several correlated normal numbers is beyond a limit, on either side.
//
// P = Σ P(|Z_i| ≥ c) · E[1/N | |Z_i| ≥ c] with N = how many reach c (Naiman and Priebe 2001). N is at least 1 and at
// most the number of entries, so a few thousand samples give P to about one percent however small it is; an integration
// over the inside, as partykit does it, loses small chances in its error.
#pragma once

#include <cstdint>  // for uint64_t

#include "grow/conditional/deviations.hpp"

namespace tw {

// ln P(max |Z| ≥ statistic) for the entries of a column's deviations. `by_level`: a nominal column.
double log_maximum_tail(double statistic, const Deviations& column, bool by_level, std::uint64_t seed);

}  // namespace tw
