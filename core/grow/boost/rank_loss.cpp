#include "grow/boost/rank_loss.hpp"

#include <algorithm>  // for clamp
#include <cmath>      // for abs

#include "base/vectors.hpp"
#include "grow/boost/weighted_quantile.hpp"

namespace tw {
namespace {

// The quantile of f(row) over some rows by their weights.
template <class F>
double quantile_over(const Labels& labels, std::span<const std::uint32_t> rows, double share, F&& f) {
  if (labels.weight.empty()) {
    std::vector<double> numbers;
    numbers.reserve(rows.size());
    for (const std::uint32_t row : rows) numbers.push_back(f(row));
    return quantile_of(numbers, share);
  }
  std::vector<WeightedNumber> numbers;
  numbers.reserve(rows.size());
  for (const std::uint32_t row : rows) numbers.push_back({f(row), labels.weight[row]});
  return quantile_of(numbers, share);
}

void quantile_gradients(const double* y, const double* raw, std::size_t n, float below, float above, float* gradient,
                        float* hessian) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) {
      gradient[i] = y[i] > raw[i] ? above : y[i] < raw[i] ? below : 0.0f;
      hessian[i] = 1.0f;
    }
  });
}

void huber_gradients(const double* y, const double* raw, std::size_t n, double delta, float* gradient, float* hessian) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) {
      const double residual = raw[i] - y[i];
      gradient[i] = static_cast<float>(residual < -delta ? -delta : residual > delta ? delta : residual);
      hessian[i] = 1.0f;
    }
  });
}

}  // namespace

std::vector<double> QuantileLoss::start(std::span<const std::uint32_t> rows) const {
  return {quantile_over(labels_, rows, alpha_, [&](std::uint32_t row) { return labels_.y[row]; })};
}

void QuantileLoss::gradients(std::uint32_t, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                             float* hessian) const {
  quantile_gradients(labels_.y.data() + begin, raw + begin, end - begin, static_cast<float>(scale_ * (1 - alpha_)),
                     static_cast<float>(-scale_ * alpha_), gradient + begin, hessian + begin);
}

double QuantileLoss::of_row(std::span<const Scores> raw, std::size_t row) const {
  const double residual = labels_.y[row] - raw[0][row];
  return scale_ * (residual > 0 ? alpha_ * residual : (alpha_ - 1) * residual);
}

double QuantileLoss::leaf_value(std::span<const std::uint32_t> rows, const double* raw) const {
  return quantile_over(labels_, rows, alpha_, [&](std::uint32_t row) { return labels_.y[row] - raw[row]; });
}

std::vector<double> HuberLoss::start(std::span<const std::uint32_t> rows) const {
  return {quantile_over(labels_, rows, 0.5, [&](std::uint32_t row) { return labels_.y[row]; })};
}

void HuberLoss::prepare(std::span<const Scores> raw, std::span<const std::uint32_t> rows, Workers&) {
  delta_ =
      quantile_over(labels_, rows, alpha_, [&](std::uint32_t row) { return std::abs(labels_.y[row] - raw[0][row]); });
}

void HuberLoss::gradients(std::uint32_t, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                          float* hessian) const {
  huber_gradients(labels_.y.data() + begin, raw + begin, end - begin, delta_, gradient + begin, hessian + begin);
}

double HuberLoss::of_row(std::span<const Scores> raw, std::size_t row) const {
  const double residual = std::abs(labels_.y[row] - raw[0][row]);
  return residual <= delta_ ? residual * residual / 2 : delta_ * (residual - delta_ / 2);
}

// One step from the median towards the minimum (Friedman 2001, equation 31). The residuals beyond delta count as delta.
double HuberLoss::leaf_value(std::span<const std::uint32_t> rows, const double* raw) const {
  const auto residual = [&](std::uint32_t row) { return labels_.y[row] - raw[row]; };
  const double median = quantile_over(labels_, rows, 0.5, residual);
  double sum = 0, total = 0;
  for (const std::uint32_t row : rows) {
    sum += labels_.weight_of(row) * std::clamp(residual(row) - median, -delta_, delta_);
    total += labels_.weight_of(row);
  }
  return median + sum / total;
}

}  // namespace tw
