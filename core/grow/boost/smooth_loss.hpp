// Losses of numbers with a hessian of their own: a Newton step is the answer of a leaf.
#pragma once

#include "grow/boost/loss.hpp"

namespace tw {

// (y − F)² / 2
class SquaredError : public Loss {
 public:
  using Loss::Loss;
  std::vector<double> start(std::span<const std::uint32_t> rows) const override;
  void gradients(std::uint32_t output, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override;
  double of_row(std::span<const Scores> raw, std::size_t row) const override;
};

// The answer is e^F. Far from its optimum a Newton step on a logarithm is too long or too short by any factor, so
// leaves are kept within e^±kLargestLogStep before they are shrunk.
class LogLinkLoss : public Loss {
 public:
  using Loss::Loss;
  std::vector<double> start(std::span<const std::uint32_t> rows) const override;
  double largest_step() const override { return kLargestLogStep; }

 private:
  static constexpr double kLargestLogStep = 3;
};

// e^F − y·F
class PoissonLoss : public LogLinkLoss {
 public:
  using LogLinkLoss::LogLinkLoss;
  void gradients(std::uint32_t output, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override;
  double of_row(std::span<const Scores> raw, std::size_t row) const override;
};

// F + y·e^−F
class GammaLoss : public LogLinkLoss {
 public:
  using LogLinkLoss::LogLinkLoss;
  void gradients(std::uint32_t output, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override;
  double of_row(std::span<const Scores> raw, std::size_t row) const override;
};

}  // namespace tw
