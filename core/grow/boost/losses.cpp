#include "grow/boost/losses.hpp"

#include <algorithm>  // for max, copy_n, min, clamp
#include <cmath>      // for log, log1p, abs
#include <limits>     // for numeric_limits

#include "base/error.hpp"
#include "base/exponential.hpp"
#include "base/fixed_sum.hpp"
#include "base/vectors.hpp"

namespace tw {

double Loss::largest_step() const { return std::numeric_limits<double>::infinity(); }

std::unique_ptr<Loss> make_loss(const std::string& name, const Labels& labels, double alpha) {
  if (name == "log_loss" && labels.n_classes == 2) return std::make_unique<BinaryLogLoss>(labels);
  if (name == "log_loss") return std::make_unique<SoftmaxLoss>(labels);
  if (name == "squared_error") return std::make_unique<SquaredError>(labels);
  if (name == "poisson") return std::make_unique<PoissonLoss>(labels);
  if (name == "gamma") return std::make_unique<GammaLoss>(labels);
  if (name == "absolute_error") return std::make_unique<QuantileLoss>(labels, 0.5, 2.0);
  if (name == "quantile") return std::make_unique<QuantileLoss>(labels, alpha, 1.0);
  if (name == "huber") return std::make_unique<HuberLoss>(labels, alpha);
  throw BadInput("unknown loss '" + name + "'");
}

namespace {

// The mean, around the middle of the range so that large numbers lose no digits.
double weighted_mean(const Labels& labels, std::span<const std::uint32_t> rows) {
  double ends[] = {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const std::uint32_t row : rows)
    ends[0] = std::max(ends[0], -labels.y[row]), ends[1] = std::max(ends[1], labels.y[row]);
  labels.peers->take_largest(ends);
  const double middle = -ends[0] / 2 + ends[1] / 2;
  const auto weight = [&](std::size_t i) { return labels.weight_of(rows[i]); };
  const auto product = [&](std::size_t i) { return weight(i) * (labels.y[rows[i]] - middle); };
  const double sum = sum_in_any_order(rows.size(), product, *labels.peers);
  return middle + sum / sum_in_any_order(rows.size(), weight, *labels.peers);
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

namespace {

constexpr std::size_t kBlock = 2048;

std::vector<double> class_weights(const Labels& labels, std::span<const std::uint32_t> rows) {
  double largest = 0;
  for (const std::uint32_t row : rows) largest = std::max(largest, labels.weight_of(row));
  largest = labels.peers->largest(largest);
  const auto n_rows = static_cast<std::size_t>(labels.peers->sum(static_cast<std::int64_t>(rows.size())));
  std::vector<FixedSum> sums(labels.n_classes, {largest, n_rows});
  for (const std::uint32_t row : rows) sums[static_cast<std::size_t>(labels.y[row])].add(labels.weight_of(row));
  std::vector<double> weights;
  for (FixedSum& sum : sums) sum.add_those_of(*labels.peers), weights.push_back(sum.value());
  return weights;
}

void binary_gradients(const double* y, const double* raw, std::size_t n, float* gradient, float* hessian) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) {
      const double p = 1.0 / (1.0 + exponential(-raw[i]));
      gradient[i] = static_cast<float>(p - y[i]);
      hessian[i] = static_cast<float>(p * (1.0 - p));
    }
  });
}

// own: the class. The same number added to all scores of a row changes nothing, so K scores that each take a Newton
// step by their own p·(1 − p) go too far together, by K / (K − 1) (Friedman 2001, equation 32): `bend` is that.
void softmax_gradients(const double* y, double own, double bend, const double* raw, const double* log_sum,
                       std::size_t n, float* gradient, float* hessian) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) {
      const double p = exponential(raw[i] - log_sum[i]);
      gradient[i] = static_cast<float>(p - (y[i] == own ? 1.0 : 0.0));
      hessian[i] = static_cast<float>(bend * (p * (1.0 - p)));
    }
  });
}

void add_exponentials(const double* raw, const double* top, std::size_t n, double* sum) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) sum[i] += exponential(raw[i] - top[i]);
  });
}

}  // namespace

std::vector<double> BinaryLogLoss::start(std::span<const std::uint32_t> rows) const {
  const std::vector<double> sums = class_weights(labels_, rows);
  constexpr double kLeast = 0x1p-40;  // a class without weight is not quite impossible
  const double total = sums[0] + sums[1];
  return {std::log(std::max(sums[1] / total, kLeast) / std::max(sums[0] / total, kLeast))};
}

void BinaryLogLoss::gradients(std::uint32_t, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                              float* hessian) const {
  binary_gradients(labels_.y.data() + begin, raw + begin, end - begin, gradient + begin, hessian + begin);
}

double BinaryLogLoss::of_row(std::span<const Scores> raw, std::size_t row) const {
  const double score = labels_.y[row] > 0 ? raw[0][row] : -raw[0][row];  // ln(1 + e^−score), without overflow
  return score > 0 ? std::log1p(exponential(-score)) : std::log1p(exponential(score)) - score;
}

std::vector<double> SoftmaxLoss::start(std::span<const std::uint32_t> rows) const {
  std::vector<double> sums = class_weights(labels_, rows);
  double total = 0;
  for (const double sum : sums) total += sum;
  for (double& sum : sums) sum = std::log(std::max(sum / total, 0x1p-40));
  return sums;
}

void SoftmaxLoss::prepare(std::span<const Scores> raw, std::span<const std::uint32_t>, Workers& workers) {
  log_sum_.resize(raw[0].size());
  const std::size_t n_blocks = (log_sum_.size() + kBlock - 1) / kBlock;
  workers.run(n_blocks, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, n = std::min(kBlock, log_sum_.size() - begin);
    double *top = log_sum_.data() + begin, sum[kBlock] = {};
    std::copy_n(raw[0].data() + begin, n, top);
    for (const auto& scores : raw)
      for (std::size_t i = 0; i < n; ++i) top[i] = std::max(top[i], scores[begin + i]);
    for (const auto& scores : raw) add_exponentials(scores.data() + begin, top, n, sum);
    for (std::size_t i = 0; i < n; ++i) top[i] += std::log(sum[i]);
  });
}

void SoftmaxLoss::gradients(std::uint32_t output, const double* raw, std::size_t begin, std::size_t end,
                            float* gradient, float* hessian) const {
  const double bend = labels_.n_classes > 1 ? labels_.n_classes / (labels_.n_classes - 1.0) : 1.0;
  softmax_gradients(labels_.y.data() + begin, output, bend, raw + begin, log_sum_.data() + begin, end - begin,
                    gradient + begin, hessian + begin);
}

double SoftmaxLoss::of_row(std::span<const Scores> raw, std::size_t row) const {
  double top = raw[0][row], sum = 0;
  for (const auto& scores : raw) top = std::max(top, scores[row]);
  for (const auto& scores : raw) sum += exponential(scores[row] - top);
  return top + std::log(sum) - raw[static_cast<std::size_t>(labels_.y[row])][row];
}

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
  const auto weight = [&](std::size_t i) { return labels_.weight_of(rows[i]); };
  const auto step = [&](std::size_t i) { return weight(i) * std::clamp(residual(rows[i]) - median, -delta_, delta_); };
  return median + sum_in_any_order(rows.size(), step) / sum_in_any_order(rows.size(), weight);
}

}  // namespace tw
