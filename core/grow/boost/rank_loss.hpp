// Losses of numbers that count large residuals no more than small ones. Their hessian says nothing, so trees are grown
// by the gradients alone, and leaves are answered by a rank of the residuals.
#pragma once

#include "grow/boost/loss.hpp"

namespace tw {

// scale · (alpha · max(y − F, 0) + (1 − alpha) · max(F − y, 0)); alpha 1/2 and scale 2 are the absolute error.
class QuantileLoss : public Loss {
 public:
  QuantileLoss(const Labels& labels, double alpha, double scale) : Loss(labels), alpha_(alpha), scale_(scale) {}
  std::vector<double> start(std::span<const std::uint32_t> rows) const override;
  void gradients(std::uint32_t output, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override;
  double of_row(std::span<const Scores> raw, std::size_t row) const override;
  bool refines() const override { return true; }
  double leaf_value(std::span<const std::uint32_t> rows, const double* raw) const override;

 private:
  double alpha_, scale_;
};

// Half the square of residuals up to delta, straight lines beyond; delta is the alpha-quantile of the absolute
// residuals, anew each round (Friedman 2001, algorithm 4).
class HuberLoss : public Loss {
 public:
  HuberLoss(const Labels& labels, double alpha) : Loss(labels), alpha_(alpha) {}
  std::vector<double> start(std::span<const std::uint32_t> rows) const override;
  void prepare(std::span<const Scores> raw, std::span<const std::uint32_t> rows, Workers& workers) override;
  void gradients(std::uint32_t output, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override;
  double of_row(std::span<const Scores> raw, std::size_t row) const override;
  bool refines() const override { return true; }
  double leaf_value(std::span<const std::uint32_t> rows, const double* raw) const override;

 private:
  double alpha_, delta_ = 0;
};

}  // namespace tw
