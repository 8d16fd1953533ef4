#include "grow/boost/smooth_loss.hpp"

#include <algorithm>  // for max
#include <cmath>      // for log

#include "base/exponential.hpp"
#include "base/vectors.hpp"

namespace tw {
namespace {

// A mean that does not depend on the order of the rows in any digit that is printed: around the middle of the range.
double weighted_mean(const Labels& labels, std::span<const std::uint32_t> rows) {
  double low = labels.y[rows[0]], high = low, total = 0, sum = 0;
  for (const std::uint32_t row : rows) low = std::min(low, labels.y[row]), high = std::max(high, labels.y[row]);
  const double middle = low / 2 + high / 2;
  for (const std::uint32_t row : rows) {
    total += labels.weight_of(row);
    sum += labels.weight_of(row) * (labels.y[row] - middle);
  }
  return middle + sum / total;
}

void squared_gradients(const double* y, const double* raw, std::size_t n, float* gradient, float* hessian) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) {
      gradient[i] = static_cast<float>(raw[i] - y[i]);
      hessian[i] = 1.0f;
    }
  });
}

void poisson_gradients(const double* y, const double* raw, std::size_t n, float* gradient, float* hessian) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) {
      const double mean = exponential(raw[i]);
      gradient[i] = static_cast<float>(mean - y[i]);
      hessian[i] = static_cast<float>(mean);
    }
  });
}

void gamma_gradients(const double* y, const double* raw, std::size_t n, float* gradient, float* hessian) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) {
      const double ratio = y[i] * exponential(-raw[i]);
      gradient[i] = static_cast<float>(1.0 - ratio);
      hessian[i] = static_cast<float>(ratio);
    }
  });
}

}  // namespace

std::vector<double> SquaredError::start(std::span<const std::uint32_t> rows) const {
  return {weighted_mean(labels_, rows)};
}

void SquaredError::gradients(std::uint32_t, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                             float* hessian) const {
  squared_gradients(labels_.y.data() + begin, raw + begin, end - begin, gradient + begin, hessian + begin);
}

double SquaredError::of_row(std::span<const Scores> raw, std::size_t row) const {
  const double residual = labels_.y[row] - raw[0][row];
  return residual * residual / 2;
}

std::vector<double> LogLinkLoss::start(std::span<const std::uint32_t> rows) const {
  return {std::log(std::max(weighted_mean(labels_, rows), 0x1p-40))};
}

void PoissonLoss::gradients(std::uint32_t, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                            float* hessian) const {
  poisson_gradients(labels_.y.data() + begin, raw + begin, end - begin, gradient + begin, hessian + begin);
}

double PoissonLoss::of_row(std::span<const Scores> raw, std::size_t row) const {
  return exponential(raw[0][row]) - labels_.y[row] * raw[0][row];
}

void GammaLoss::gradients(std::uint32_t, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                          float* hessian) const {
  gamma_gradients(labels_.y.data() + begin, raw + begin, end - begin, gradient + begin, hessian + begin);
}

double GammaLoss::of_row(std::span<const Scores> raw, std::size_t row) const {
  return raw[0][row] + labels_.y[row] * exponential(-raw[0][row]);
}

}  // namespace tw
