#include "grow/conditional/association.hpp"

#include <algorithm>  // for max
#include <cmath>      // for sqrt

namespace tw {
namespace {

std::size_t varying_parts(const Deviations& column) {
  std::size_t varying = 0;
  for (const double v : column.spread) varying += v > 0;
  return varying;
}

// Of one vector t, with the column's part of its variance: the quadratic form, or the largest square.
double sum_up(const Deviations& column, const double* t, double variance, StatisticKind kind) {
  double sum = 0;
  for (std::size_t k = 0; k < column.parts; ++k) {
    if (kind == StatisticKind::quadratic)
      sum += column.inverse[k] * t[k] * t[k];
    else if (column.spread[k] > 0)
      sum = std::max(sum, t[k] * t[k] / column.spread[k]);
  }
  return sum / variance;
}

Association finish(const Deviations& column, double sum, double degrees, StatisticKind kind) {
  const double statistic = sum * (column.n - 1) / column.total;
  return {kind == StatisticKind::quadratic ? statistic : std::sqrt(statistic), degrees};
}

}  // namespace

Association associate_ordered(const Deviations& column, std::span<const double> scores, StatisticKind kind) {
  double mean = 0, spread = 0;
  for (std::size_t i = 0; i < column.size; ++i) mean += column.weight[i] * scores[i];
  mean /= column.total;
  std::vector<double> t(column.parts, 0);
  for (std::size_t i = 0; i < column.size; ++i) {
    const double away = scores[i] - mean, *d = column.of(i);
    spread += column.weight[i] * away * away;
    for (std::size_t k = 0; k < column.parts; ++k) t[k] += away * d[k];
  }
  const double degrees = kind == StatisticKind::quadratic ? column.rank : double(varying_parts(column));
  return finish(column, sum_up(column, t.data(), spread, kind), degrees, kind);
}

Association associate_levels(const Deviations& column, StatisticKind kind) {
  double sum = 0;
  for (std::size_t i = 0; i < column.size; ++i) {
    const double a = column.weight[i];
    if (kind == StatisticKind::quadratic)
      sum += sum_up(column, column.of(i), a, kind);
    else
      sum = std::max(sum, sum_up(column, column.of(i), a * (1 - a / column.total), kind));
  }
  const double degrees = kind == StatisticKind::quadratic ? double(column.size - 1) * column.rank
                                                          : double(column.size * varying_parts(column));
  return finish(column, sum, degrees, kind);
}

}  // namespace tw
