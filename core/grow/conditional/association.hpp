// The statistic of a column: how far the target's sums are from what permutations would give.
#pragma once

#include <cmath>  // for floor
#include <span>   // for span

#include "grow/conditional/deviations.hpp"

namespace tw {

enum class StatisticKind { quadratic, maximum };

struct Association {
  double statistic = 0;
  double degrees = 0;  // quadratic: rank of the covariance; maximum: entries that can vary
};

// An ordered column: its values count by their scores. A nominal one: by an indicator for each level.
Association associate_ordered(const Deviations& column, std::span<const double> scores, StatisticKind kind);
Association associate_levels(const Deviations& column, StatisticKind kind);

// Statistics in whole steps, so that what is equal on paper is equal here. `share`: of n − 1.
inline double in_steps(double share) { return std::floor(share * 1099511627776.0 + 0.5); }  // 2^40

inline double in_steps(double statistic, double n, StatisticKind kind) {
  return in_steps((kind == StatisticKind::quadratic ? statistic : statistic * statistic) / (n - 1));
}

}  // namespace tw
