// Gradient descent example by example: the delta rule of one neuron, and softmax over several.
#pragma once

#include <cstddef>  // for size_t
#include <vector>

#include "descent/examples.hpp"

namespace tw {

// What a unit makes of its sum, and the loss against the target.
enum class Unit {
  log_loss,         // sigmoid, target 0 or 1, -log of the probability of the target
  squared_sigmoid,  // sigmoid, target 0 or 1, half the squared difference
  squared_linear,   // the sum itself, half the squared difference
};

struct DescentState {
  double* weights;         // units × width
  double* sums = nullptr;  // of the weights after every example, for the average; null: not wanted
  const double* shrunk;    // units have the same: 1 where a weight is penalised, 0 elsewhere; `width` numbers
  double rate;             // of the first example; example t has rate / (1 + rate · penalty · t)
  double penalty = 0;      // half of it times the squared length of the penalised weights is added to the mean loss
  std::int64_t seen = 0;   // examples so far
};

// One pass over one unit. Returns the weighted sum of the losses, each taken before its example was learnt from.
double descend(const Examples& examples, const double* targets, const std::uint32_t* order, Unit unit,
               DescentState& state);

// One pass over softmax of several units with log loss.
double descend_softmax(const Examples& examples, const std::int32_t* targets, const std::uint32_t* order,
                       std::size_t n_units, DescentState& state);

// A quadratic with corners, solved coordinate by coordinate: one step of a penalised likelihood.

// The least of  gradient·(y − start) + ½ (y − start)ᵀ hessian (y − start) + Σ corners[j] |y[j]|  over y, by soft
// thresholds in turn (Friedman, Hastie and Tibshirani 2010). Ends when a sweep moves no coordinate by more than
// `tolerance` in units of 1 / √hessian[j][j], or after `max_sweeps`. The hessian is symmetric.
std::vector<double> soft_descent(const double* hessian, const double* gradient, const double* start,
                                 const double* corners, std::size_t n, double tolerance, std::size_t max_sweeps,
                                 Workers& workers);

}  // namespace tw
