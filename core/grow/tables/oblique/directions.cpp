#include "grow/tables/oblique/directions.hpp"

#include <algorithm>  // for max, sort, stable_sort
#include <cmath>      // for abs, log, sqrt
#include <numeric>    // for iota

namespace tw {
namespace {

constexpr int kFirstSteps = 5, kLaterSteps = 3;  // of Newton's method: from nothing, and after columns were left out
constexpr double kEnough = 1e-3;                 // a step that moves no coefficient by more than this was the last
constexpr double kEven = 1048576;                // 2^20: coefficients that agree to this share of the largest are equal
constexpr double kIntercept = 1e-3;              // holds the intercept where every row is told with certainty
constexpr int kPowerSteps = 32;

std::size_t next_stage(std::size_t n) { return n > 3 ? (n + 1) / 2 : 2; }

// Places of the columns that count most, ascending; the first of equals.
std::vector<std::uint32_t> strongest(std::span<const double> coefficients, std::size_t n_kept) {
  const std::vector<double> counts = strength(coefficients);
  std::vector<std::uint32_t> places(coefficients.size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
  places.resize(n_kept);
  std::sort(places.begin(), places.end());
  return places;
}

bool is_sound(const std::vector<double>& coefficients) {
  double largest = 0;
  for (const double c : coefficients) {
    if (!std::isfinite(c)) return false;
    largest = std::max(largest, std::abs(c));
  }
  return largest > 0;
}

SquareSums part_of(const SquareSums& sums, std::span<const std::uint32_t> kept) {
  const std::size_t m = sums.with_target.size(), n = kept.size();
  SquareSums part{std::vector<double>(n * n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    part.with_target[i] = sums.with_target[kept[i]];
    for (std::size_t j = i; j < n; ++j) part.cross[i * n + j] = sums.cross[kept[i] * m + kept[j]];
  }
  return part;
}

std::vector<double> ridge_squares(SquareSums sums, double ridge) {
  const std::size_t n = sums.with_target.size();
  for (std::size_t i = 0; i < n; ++i) sums.cross[i * n + i] += ridge;
  return solve_symmetric(std::move(sums.cross), std::move(sums.with_target));
}

// A few of Newton's steps from b; the last coefficient is the intercept, which has no penalty.
std::vector<double> ridge_logistic(const StandardizedRows& standardized, std::span<const std::uint32_t> kept,
                                   std::span<const double> target, double ridge, std::vector<double> b, int steps) {
  const std::size_t n = b.size();
  for (int s = 0; s < steps; ++s) {
    StandardizedRows::Curve curve = standardized.logistic(kept, target, b);
    for (std::size_t i = 0; i + 1 < n; ++i) curve.slope[i] -= ridge * b[i], curve.curvature[i * n + i] += ridge;
    curve.curvature[n * n - 1] += kIntercept;
    const std::vector<double> step = solve_symmetric(std::move(curve.curvature), std::move(curve.slope));
    double farthest = 0;
    for (std::size_t i = 0; i < n; ++i) b[i] += step[i], farthest = std::max(farthest, std::abs(step[i]));
    if (farthest < kEnough) break;
  }
  return b;
}

}  // namespace

std::vector<double> strength(std::span<const double> coefficients) {
  double largest = 0;
  for (const double c : coefficients) largest = std::max(largest, std::abs(c));
  std::vector<double> counts(coefficients.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = whole(std::abs(coefficients[i]) / largest * kEven);
  return counts;
}

std::vector<double> centred(std::vector<double> cross, std::span<const double> sums, double total) {
  const std::size_t m = sums.size();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = i; j < m; ++j) cross[i * m + j] -= sums[i] * sums[j] / total;
  return cross;
}

Direction squares_direction(const SquareSums& sums, double ridge) {
  Direction direction;
  direction.kept.resize(sums.with_target.size());
  std::iota(direction.kept.begin(), direction.kept.end(), 0u);
  direction.coefficients = ridge_squares(sums, ridge);
  if (!is_sound(direction.coefficients)) direction.coefficients.clear();
  return direction;
}

std::vector<Direction> squares_directions(const SquareSums& sums, double ridge) {
  std::vector<Direction> found;
  Direction now = squares_direction(sums, ridge);
  while (is_sound(now.coefficients)) {
    found.push_back(now);
    if (now.kept.size() <= 2) break;
    std::vector<std::uint32_t> kept;
    for (const std::uint32_t place : strongest(now.coefficients, next_stage(now.kept.size())))
      kept.push_back(now.kept[place]);
    now.coefficients = ridge_squares(part_of(sums, kept), ridge);
    now.kept = std::move(kept);
  }
  return found;
}

std::vector<Direction> logistic_directions(const StandardizedRows& standardized, std::span<const double> target,
                                           double share, double ridge) {
  std::vector<Direction> found;
  std::vector<std::uint32_t> kept(standardized.n_columns());
  std::iota(kept.begin(), kept.end(), 0u);
  std::vector<double> b(kept.size() + 1, 0.0);
  b.back() = std::log(share / (1 - share));
  b = ridge_logistic(standardized, kept, target, ridge, std::move(b), kFirstSteps);
  while (true) {
    const double intercept = b.back();
    b.pop_back();
    if (!is_sound(b)) break;
    found.push_back({kept, b});
    if (kept.size() <= 2) break;
    std::vector<std::uint32_t> fewer;
    std::vector<double> start;
    for (const std::uint32_t place : strongest(b, next_stage(kept.size())))
      fewer.push_back(kept[place]), start.push_back(b[place]);
    start.push_back(intercept);
    kept = std::move(fewer);
    b = ridge_logistic(standardized, kept, target, ridge, std::move(start), kLaterSteps);
  }
  return found;
}

std::vector<double> principal_coordinates(std::span<const double> points, std::span<const double> weights,
                                          std::size_t n_columns) {
  const std::size_t n = weights.size(), m = n_columns;
  std::vector<double> away(points.begin(), points.end()), middle(m, 0.0), lengths(n, 0.0), axis(m, 0.0);
  double total = 0;
  for (std::size_t k = 0; k < n; ++k) {
    total += weights[k];
    for (std::size_t j = 0; j < m; ++j) middle[j] += weights[k] * points[k * m + j];
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < m; ++j) {
      away[k * m + j] = weights[k] > 0 ? points[k * m + j] - middle[j] / total : 0;
      lengths[k] += away[k * m + j] * away[k * m + j];
    }
  if (!is_sound(lengths)) return std::vector<double>(n, 0.0);
  const std::vector<double> counts = strength(lengths);
  const std::size_t farthest = std::max_element(counts.begin(), counts.end()) - counts.begin();
  std::copy_n(away.begin() + farthest * m, m, axis.begin());
  auto along = [&](std::size_t k) { return std::inner_product(axis.begin(), axis.end(), away.begin() + k * m, 0.0); };
  for (int step = 0; step < kPowerSteps; ++step) {  // axis ← scatter · axis, where scatter = Σ w·point·pointᵀ
    double largest = 0;
    for (const double a : axis) largest = std::max(largest, std::abs(a));
    if (largest == 0) return std::vector<double>(n, 0.0);
    for (double& a : axis) a /= largest;
    std::vector<double> next(m, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const double reach = weights[k] * along(k);
      for (std::size_t j = 0; j < m; ++j) next[j] += reach * away[k * m + j];
    }
    axis = std::move(next);
  }
  const double length = std::sqrt(std::inner_product(axis.begin(), axis.end(), axis.begin(), 0.0));
  std::vector<double> found(n);
  for (std::size_t k = 0; k < n; ++k) found[k] = along(k) / length;
  return found;
}

std::vector<std::uint8_t> principal_group(std::span<const double> sums, std::span<const double> weights,
                                          std::size_t n_columns) {
  std::vector<double> means(sums.begin(), sums.end());
  for (std::size_t c = 0; c < means.size(); ++c)
    means[c] = weights[c / n_columns] > 0 ? means[c] / weights[c / n_columns] : 0;
  const std::vector<double> along = principal_coordinates(means, weights, n_columns);
  std::vector<std::uint8_t> side(weights.size(), 0);
  for (std::size_t k = 0; k < side.size(); ++k) side[k] = weights[k] > 0 && along[k] > 0;
  return side;
}

}  // namespace tw
