// A quadratic with corners, solved coordinate by coordinate: one step of a penalised likelihood.
#pragma once

#include <cstddef>  // for size_t
#include <vector>

namespace tw {

// The least of  gradient·(y − start) + ½ (y − start)ᵀ hessian (y − start) + Σ corners[j] |y[j]|  over y, by soft
// thresholds in turn (Friedman, Hastie and Tibshirani 2010). Ends when a sweep moves no coordinate by more than
// `tolerance` in units of 1 / √hessian[j][j], or after `max_sweeps`. The hessian is symmetric.
std::vector<double> soft_descent(const double* hessian, const double* gradient, const double* start,
                                 const double* corners, std::size_t n, double tolerance, std::size_t max_sweeps);

}  // namespace tw
