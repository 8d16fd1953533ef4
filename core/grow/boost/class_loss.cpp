#include "grow/boost/class_loss.hpp"

#include <algorithm>  // for copy_n, max, min
#include <cmath>      // for log, log1p

#include "base/exponential.hpp"
#include "base/vectors.hpp"

namespace tw {
namespace {

constexpr std::size_t kBlock = 2048;

std::vector<double> class_weights(const Labels& labels, std::span<const std::uint32_t> rows) {
  std::vector<double> sums(labels.n_classes, 0.0);
  for (const std::uint32_t row : rows) sums[static_cast<std::size_t>(labels.y[row])] += labels.weight_of(row);
  return sums;
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

void softmax_gradients(const double* y, double own, const double* raw, const double* log_sum, std::size_t n,
                       float* gradient, float* hessian) {
  with_widest_vectors([=]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) {
      const double p = exponential(raw[i] - log_sum[i]);
      gradient[i] = static_cast<float>(p - (y[i] == own ? 1.0 : 0.0));
      hessian[i] = static_cast<float>(p * (1.0 - p));
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
  softmax_gradients(labels_.y.data() + begin, output, raw + begin, log_sum_.data() + begin, end - begin,
                    gradient + begin, hessian + begin);
}

double SoftmaxLoss::of_row(std::span<const Scores> raw, std::size_t row) const {
  double top = raw[0][row], sum = 0;
  for (const auto& scores : raw) top = std::max(top, scores[row]);
  for (const auto& scores : raw) sum += exponential(scores[row] - top);
  return top + std::log(sum) - raw[static_cast<std::size_t>(labels_.y[row])][row];
}

}  // namespace tw
