// Log loss: one output for two classes, one for each class where there are more.
#pragma once

#include "grow/boost/loss.hpp"

namespace tw {

class BinaryLogLoss : public Loss {
 public:
  using Loss::Loss;
  std::vector<double> start(std::span<const std::uint32_t> rows) const override;
  void gradients(std::uint32_t output, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override;
  double of_row(std::span<const Scores> raw, std::size_t row) const override;
};

class SoftmaxLoss : public Loss {
 public:
  using Loss::Loss;
  std::uint32_t n_outputs() const override { return labels_.n_classes; }
  std::vector<double> start(std::span<const std::uint32_t> rows) const override;
  void prepare(std::span<const Scores> raw, std::span<const std::uint32_t> rows, Workers& workers) override;
  void gradients(std::uint32_t output, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override;
  double of_row(std::span<const Scores> raw, std::size_t row) const override;

 private:
  std::vector<double> log_sum_;  // of the exponentials of a row's scores, at the start of the round
};

}  // namespace tw
