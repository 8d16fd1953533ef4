#include "grow/conditional/column_scores.hpp"

#include <algorithm>  // for max, min
#include <cmath>      // for frexp, isfinite, ldexp

namespace tw {
namespace {

std::vector<double> scores_of_levels(const NodeView& root, const RankedColumn& column) {
  std::vector<char> occurs(column.n_codes + 1, 0);
  for (const std::uint32_t row : root.rows.rows) occurs[column.code(row)] = 1;
  std::vector<double> scores(column.n_codes, 0);
  double next = 0;
  for (std::uint32_t code = 1; code <= column.n_codes; ++code) scores[code - 1] = next += occurs[code];
  return scores;
}

std::vector<double> scores_of_numbers(const std::vector<double>& values) {
  std::vector<double> scores(values.size());
  double reach = 0;
  for (const double x : values)
    if (std::isfinite(x)) reach = std::max(reach, std::abs(x));
  int exponent = 0;
  std::frexp(reach, &exponent);
  double low = 0, high = 0;
  bool any = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    scores[i] = std::ldexp(values[i], -exponent);
    low = any ? std::min(low, scores[i]) : scores[i], high = any ? std::max(high, scores[i]) : scores[i];
    any = true;
  }
  const double beyond = high > low ? high - low : 1;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) scores[i] = values[i] > 0 ? high + beyond : low - beyond;
  return scores;
}

}  // namespace

std::vector<double> column_scores(const NodeView& root, std::int32_t column) {
  const RankedColumn& c = root.column(column);
  if (c.kind == Kind::nominal) return {};
  return c.kind == Kind::ordinal ? scores_of_levels(root, c) : scores_of_numbers(c.values);
}

}  // namespace tw
