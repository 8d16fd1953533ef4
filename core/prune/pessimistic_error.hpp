// The errors to be expected of a leaf: those it makes in training, and what the upper limit of its error rate adds.
// Quinlan 1993, chapter 4. The limit is Wilson's with a correction for continuity. J48 and release 8 differ in three
// places, all below.
#pragma once

#include <algorithm>  // for max
#include <cmath>      // for pow, sqrt

namespace tw {

struct PessimisticError {
  double confidence = 0.25;
  double z =
      0.6744897501960817;  // the quantile of the normal distribution at 1 − confidence, or release 8's table of it
  bool as_j48 = true;

  // What is added to the errors of a leaf of this weight.
  double extra(double weight, double errors) const {
    if (as_j48 && confidence > 0.5) return 0;
    const double none = weight * (1 - std::pow(confidence, 1 / weight));
    if (errors < 1e-6) return none;
    if (errors < (as_j48 ? 1.0 : 0.9999)) return none + errors * (extra(weight, 1) - none);
    if (errors + 0.5 >= weight) return as_j48 ? std::max(weight - errors, 0.0) : 0.67 * (weight - errors);
    const double half = errors + 0.5, square = z * z;
    const double limit = half + square / 2 + z * std::sqrt(half * (1 - half / weight) + square / 4);
    return weight * limit / (weight + square) - errors;
  }

  double of_leaf(double weight, double errors) const {
    return weight < 1e-6 ? 0 : errors + extra(weight, std::max(errors, 0.0));
  }
};

}  // namespace tw
