#include "descent/stochastic.hpp"

#include <algorithm>  // for max, max_element
#include <cmath>      // for fabs, log, log1p, sqrt
#include <vector>

#include "base/exponential.hpp"
#include "base/vectors.hpp"

namespace tw {

namespace {

struct Slope {
  double loss;
  double by_sum;  // the derivative of the loss by the sum
};

__attribute__((always_inline)) inline Slope slope_of(Unit unit, double sum, double target) {
  if (unit == Unit::squared_linear) return {0.5 * (sum - target) * (sum - target), sum - target};
  const double small = exponential(-std::fabs(sum));
  const double p = (sum >= 0 ? 1.0 : small) / (1.0 + small);
  if (unit == Unit::squared_sigmoid) return {0.5 * (p - target) * (p - target), (p - target) * p * (1.0 - p)};
  return {std::log1p(small) + std::max(sum, 0.0) - target * sum, p - target};
}

__attribute__((always_inline)) inline double rate_now(const DescentState& state) {
  return state.rate / (1.0 + state.rate * state.penalty * static_cast<double>(state.seen));
}

__attribute__((always_inline)) inline void move(double* weights, const double* row, double step, double shrink,
                                                const double* shrunk, std::size_t width) {
  if (shrink > 0)
    for (std::size_t j = 0; j < width; ++j) weights[j] -= shrink * shrunk[j] * weights[j];
  add_scaled(weights, -step, row, width);
}

}  // namespace

double descend(const Examples& examples, const double* targets, const std::uint32_t* order, Unit unit,
               DescentState& state) {
  return with_widest_vectors([&]() TW_INLINE_LOOP {
    double loss = 0;
    for (std::size_t i = 0; i < examples.n_rows; ++i) {
      examples.hear_ctrl_c(i);
      ask_ahead(examples, targets, order, i);
      const std::size_t at = order[i];
      const double* row = examples.rows + at * examples.width;
      const double rate = rate_now(state), weight = examples.weights[at];
      const Slope slope = slope_of(unit, dot(row, state.weights, examples.width), targets[at]);
      loss += weight * slope.loss;
      move(state.weights, row, rate * weight * slope.by_sum, rate * state.penalty, state.shrunk, examples.width);
      if (state.sums) add_scaled(state.sums, 1.0, state.weights, examples.width);
      ++state.seen;
    }
    return loss;
  });
}

double descend_softmax(const Examples& examples, const std::int32_t* targets, const std::uint32_t* order,
                       std::size_t n_units, DescentState& state) {
  return with_widest_vectors([&]() TW_INLINE_LOOP {
    double loss = 0;
    const std::size_t width = examples.width;
    std::vector<double> share(n_units);
    for (std::size_t i = 0; i < examples.n_rows; ++i) {
      examples.hear_ctrl_c(i);
      ask_ahead(examples, targets, order, i);
      const std::size_t at = order[i], target = static_cast<std::size_t>(targets[at]);
      const double* row = examples.rows + at * width;
      const double rate = rate_now(state), weight = examples.weights[at];
      for (std::size_t k = 0; k < n_units; ++k) share[k] = dot(row, state.weights + k * width, width);
      const double highest = *std::max_element(share.begin(), share.end()), of_target = share[target] - highest;
      double whole = 0;
      for (double& one : share) whole += one = exponential(one - highest);
      loss += weight * (std::log(whole) - of_target);
      for (std::size_t k = 0; k < n_units; ++k) {
        const double by_sum = share[k] / whole - (k == target ? 1.0 : 0.0);
        move(state.weights + k * width, row, rate * weight * by_sum, rate * state.penalty, state.shrunk, width);
      }
      if (state.sums) add_scaled(state.sums, 1.0, state.weights, n_units * width);
      ++state.seen;
    }
    return loss;
  });
}

namespace {

double softened(double value, double corner) {
  if (value > corner) return value - corner;
  return value < -corner ? value + corner : 0.0;
}

}  // namespace

std::vector<double> soft_descent(const double* hessian, const double* gradient, const double* start,
                                 const double* corners, std::size_t n, double tolerance, std::size_t max_sweeps,
                                 Workers& workers) {
  std::vector<double> y(start, start + n), slope(gradient, gradient + n);
  for (std::size_t sweep = 0; sweep < max_sweeps; ++sweep) {
    double largest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (j % 64 == 0) workers.checkpoint();
      const double* row = hessian + j * n;
      const double curve = row[j];
      if (!(curve > 0)) continue;  // a column of zeros: nothing to learn from it
      const double move = softened(curve * y[j] - slope[j], corners[j]) / curve - y[j];
      if (move == 0) continue;
      y[j] += move;
      for (std::size_t k = 0; k < n; ++k) slope[k] += move * row[k];
      largest = std::max(largest, std::fabs(move) * std::sqrt(curve));
    }
    if (largest <= tolerance) break;
  }
  return y;
}

}  // namespace tw
