// Loss: what boosting makes small. It gives every row's gradient and hessian at the raw scores reached so far, the
// constant to start from, and, where a Newton step is no good answer, the value of a leaf.
//
// Arrays are indexed by the rows of the table. Rows that do not count have weight 0.
#pragma once

#include <algorithm>  // for sort, nth_element
#include <cmath>      // for floor
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t, int64_t
#include <memory>     // for unique_ptr
#include <span>       // for span
#include <string>     // for string
#include <utility>    // for pair
#include <vector>     // for vector

#include "base/huge_memory.hpp"
#include "base/peers.hpp"
#include "base/workers.hpp"

namespace tw {

using Scores = HugeVector<double>;  // of one output, by rows of the table

struct Labels {
  std::span<const double> y;       // class number, or the number to predict
  std::span<const double> weight;  // empty: all 1
  std::uint32_t n_classes = 0;     // 0: numbers
  Peers* peers = &Peers::none();   // who have other rows

  double weight_of(std::size_t row) const { return weight.empty() ? 1.0 : weight[row]; }
};

class Loss {
 public:
  explicit Loss(const Labels& labels) : labels_(labels) {}
  virtual ~Loss() = default;

  virtual std::uint32_t n_outputs() const { return 1; }
  // The best constant of each output for these rows.
  virtual std::vector<double> start(std::span<const std::uint32_t> rows) const = 0;
  // Called before each round with the raw scores (one array of all rows an output).
  virtual void prepare(std::span<const Scores>, std::span<const std::uint32_t>, Workers&) {}
  // Gradients and hessians of rows begin … end − 1 for one output, not weighted.
  virtual void gradients(std::uint32_t output, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                         float* hessian) const = 0;
  virtual double of_row(std::span<const Scores> raw, std::size_t row) const = 0;

  // Leaves that are better answered by a rank of the residuals than by a Newton step.
  virtual bool refines() const { return false; }
  virtual double leaf_value(std::span<const std::uint32_t>, const double*) const { return 0; }
  // No leaf may move the raw score by more than this.
  virtual double largest_step() const;

 protected:
  Labels labels_;
};

// name: one of the estimators' losses; alpha: the quantile, or huber's share of small residuals.
std::unique_ptr<Loss> make_loss(const std::string& name, const Labels& labels, double alpha);

// Losses of numbers with a hessian of their own: a Newton step is the answer of a leaf.

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

// Log loss: one output for two classes, one for each class where there are more.

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

// The quantile of weighted numbers: the smallest one that has at least `share` of the weight at or below it; where it
// has exactly that share, the middle between it and the next one (so that one half is the median of the schools).

struct WeightedNumber {
  double number = 0;
  double weight = 1;
};

// Rearranges the numbers, of which there is at least one.
inline double quantile_of(std::vector<double>& numbers, double share) {
  const double place = share * static_cast<double>(numbers.size());
  const double whole = std::floor(place);
  const bool between = whole == place && whole >= 1 && whole < static_cast<double>(numbers.size());
  const auto at = static_cast<std::size_t>(between ? whole - 1 : std::min(whole, double(numbers.size() - 1)));
  std::nth_element(numbers.begin(), numbers.begin() + at, numbers.end());
  if (!between) return numbers[at];
  const double next = *std::min_element(numbers.begin() + at + 1, numbers.end());
  return numbers[at] + (next - numbers[at]) / 2;
}

// Weights are added up as whole multiples of 2^-40 of their sum, so that equal numbers may come in any order.
inline double quantile_of(std::vector<WeightedNumber>& numbers, double share) {
  std::sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) {
    return a.number != b.number ? a.number < b.number : a.weight < b.weight;
  });
  double total = 0;
  for (const auto& each : numbers) total += each.weight;
  const double target = share * total, slack = total * 0x1p-40;
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sum += numbers[i].weight;
    if (sum < target - slack || numbers[i].weight == 0) continue;
    if (sum > target + slack) return numbers[i].number;
    for (std::size_t j = i + 1; j < numbers.size(); ++j)
      if (numbers[j].weight > 0) return numbers[i].number + (numbers[j].number - numbers[i].number) / 2;
    return numbers[i].number;
  }
  return numbers.back().number;
}

// Losses of numbers that count large residuals no more than small ones. Their hessian says nothing, so trees are grown
// by the gradients alone, and leaves are answered by a rank of the residuals.

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
