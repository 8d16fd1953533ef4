// Loss: what boosting makes small. It gives every row's gradient and hessian at the raw scores reached so far, the
// constant to start from, and, where a Newton step is no good answer, the value of a leaf.
//
// Arrays are indexed by the rows of the table. Rows that do not count have weight 0.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <memory>   // for unique_ptr
#include <span>     // for span
#include <string>   // for string
#include <vector>   // for vector

#include "base/huge_memory.hpp"
#include "base/workers.hpp"

namespace tw {

using Scores = HugeVector<double>;  // of one output, by rows of the table

struct Labels {
  std::span<const double> y;       // class number, or the number to predict
  std::span<const double> weight;  // empty: all 1
  std::uint32_t n_classes = 0;     // 0: numbers

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

}  // namespace tw
