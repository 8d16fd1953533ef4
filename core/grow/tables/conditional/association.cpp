#include "grow/tables/conditional/association.hpp"

#include <algorithm>  // for max, min
#include <cmath>      // for sqrt, frexp, isfinite, ldexp

namespace tw {

namespace {

// Three classes and more: one part for each class.
void take_classes(const ColumnCounts& counts, bool with_missing, Deviations& to) {
  const std::size_t K = counts.n_classes;
  to.parts = K;
  to.inverse.assign(K, 0), to.spread.assign(K, 0), to.d.resize(to.size * K);
  std::vector<double> share(K);
  std::size_t present = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const std::int64_t n_k = counts.known.classes[k] + (with_missing ? counts.missing.classes[k] : 0);
    share[k] = double(n_k) / to.total;
    if (n_k == 0) continue;
    ++present;
    to.inverse[k] = 1 / share[k], to.spread[k] = share[k] * (1 - share[k]);
  }
  to.rank = present > 0 ? double(present) - 1 : 0;
  for (std::size_t i = 0; i < to.size; ++i) {
    const std::int64_t* classes = i < counts.size() ? counts.classes_of(i).data() : counts.missing.classes.data();
    for (std::size_t k = 0; k < K; ++k) to.d[i * K + k] = double(classes[k]) - to.weight[i] * share[k];
  }
}

// The weight, mean and spread of one number a row.
struct Scale {
  double mean = 0, spread = 0;
  std::vector<double> sums;  // Σ w·y of each value
};

// Two classes (0 and 1) or the steps of an ordinal target.
Scale scale_of_classes(const ColumnCounts& counts, std::span<const double> scores, bool with_missing,
                       const Deviations& to) {
  const std::size_t K = counts.n_classes;
  Scale scale;
  auto total_of = [&](std::size_t k) {
    return double(counts.known.classes[k] + (with_missing ? counts.missing.classes[k] : 0));
  };
  for (std::size_t k = 0; k < K; ++k) scale.mean += scores[k] * total_of(k);
  scale.mean /= to.total;
  for (std::size_t k = 0; k < K; ++k) {
    const double away = scores[k] - scale.mean;
    scale.spread += total_of(k) * away * away;
  }
  scale.sums.assign(to.size, 0);
  for (std::size_t i = 0; i < to.size; ++i) {
    const std::int64_t* classes = i < counts.size() ? counts.classes_of(i).data() : counts.missing.classes.data();
    for (std::size_t k = 0; k < K; ++k) scale.sums[i] += scores[k] * double(classes[k]);
  }
  return scale;
}

Scale scale_of_numbers(const ColumnCounts& counts, bool with_missing, const Deviations& to) {
  NumberSum all = counts.known.numbers;
  if (with_missing) all += counts.missing.numbers;
  Scale scale{all.mean(), all.spread(), std::vector<double>(to.size)};
  for (std::size_t i = 0; i < to.size; ++i)
    scale.sums[i] = double((i < counts.size() ? counts.numbers[i] : counts.missing.numbers).first);
  return scale;
}

void take_scale(const Scale& scale, Deviations& to) {
  const double v = scale.spread / to.total;
  to.parts = 1, to.rank = v > 0 ? 1 : 0;
  to.spread.assign(1, v), to.inverse.assign(1, v > 0 ? 1 / v : 0);
  to.d.resize(to.size);
  for (std::size_t i = 0; i < to.size; ++i) to.d[i] = scale.sums[i] - to.weight[i] * scale.mean;
}

bool has_two_classes(const ColumnCounts& counts, bool with_missing) {
  int present = 0;
  for (std::size_t k = 0; k < counts.n_classes; ++k)
    present += counts.known.classes[k] > 0 || (with_missing && counts.missing.classes[k] > 0);
  return present > 1;
}

}  // namespace

void take_deviations(const ColumnCounts& counts, double unit, std::span<const double> class_scores, bool with_missing,
                     Deviations& to) {
  static constexpr double kTwoClasses[] = {0, 1};
  with_missing &= counts.missing.weight > 0;
  to.size = counts.size() + with_missing;
  to.weight.assign(counts.weight.begin(), counts.weight.end());
  if (with_missing) to.weight.push_back(double(counts.missing.weight));
  to.total = double(counts.known.weight + (with_missing ? counts.missing.weight : 0));
  to.n = to.total * unit;
  to.rank = 0;
  if (to.size < 2 || to.total <= 0) return;
  if (counts.n_classes && !has_two_classes(counts, with_missing)) return;
  if (counts.n_classes == 2 && class_scores.empty()) class_scores = kTwoClasses;
  if (!counts.n_classes)
    take_scale(scale_of_numbers(counts, with_missing, to), to);
  else if (class_scores.empty())
    take_classes(counts, with_missing, to);
  else
    take_scale(scale_of_classes(counts, class_scores, with_missing, to), to);
}

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
