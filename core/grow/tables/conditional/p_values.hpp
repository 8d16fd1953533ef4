// The chance that the largest of several correlated normal numbers is beyond a limit, on either side.
//
// P = Σ P(|Z_i| ≥ c) · E[1/N | |Z_i| ≥ c] with N = how many reach c (Naiman and Priebe 2001). N is at least 1 and at
// most the number of entries, so a few thousand samples give P to about one percent however small it is; an integration
// over the inside, as partykit does it, loses small chances in its error.
#pragma once

#include <cstdint>  // for uint64_t
#include <span>     // for span

#include "grow/tables/conditional/association.hpp"

namespace tw {

// ln P(max |Z| ≥ statistic) for the entries of a column's deviations. `by_level`: a nominal column.
double log_maximum_tail(double statistic, const Deviations& column, bool by_level, std::uint64_t seed);

// Monte Carlo: the chance of a statistic by permuting the target of a node's rows.
//
// Values and targets are laid out in order before anything is drawn, so that the answer does not depend on the order of
// the table's rows; the stream of random numbers is named by seed, column and number of rows.

struct Permuting {
  std::uint64_t seed = 0;
  std::uint32_t repeats = 0;
};

// ln of (1 + how many permutations reach `statistic`) / (1 + how many there were). `scores` is empty for a nominal
// column. Weights must be whole numbers: a row of weight 2 is two rows.
double permuted_log_p(const NodeView& node, std::int32_t column, const ColumnCounts& counts, const Deviations& observed,
                      std::span<const double> scores, std::span<const double> class_scores, StatisticKind kind,
                      double statistic, const Permuting& permuting);

}  // namespace tw
