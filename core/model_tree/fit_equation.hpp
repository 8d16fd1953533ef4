// One linear equation from the moments of a node: least squares, then terms are dropped one by one as long as the
// adjusted error does not rise (Quinlan 1992).
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t
#include <vector>   // for vector

#include "model_tree/node_moments.hpp"

namespace tw {

struct Equation {
  std::vector<std::int32_t> terms;   // ascending
  std::vector<double> coefficients;  // in the user's units
  double intercept = 0;
  double error = 0;  // root mean squared error on the node's rows, in fixed units of the target
};

// The error that is to be expected on new rows: v numbers were chosen to fit rows of the given weight. More of them
// than rows say nothing at all.
double adjusted_error(double error, double weight, double v, double penalty);

// terms: numbers of the terms that the moments are of. weight: of the node, in the user's units.
Equation fit_equation(const NodeMoments& moments, const std::vector<std::int32_t>& terms, const Design& design,
                      double weight);

}  // namespace tw
