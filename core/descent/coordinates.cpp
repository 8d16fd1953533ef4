#include "descent/coordinates.hpp"

#include <algorithm>  // for max
#include <cmath>      // for fabs, sqrt

namespace tw {
namespace {

double softened(double value, double corner) {
  if (value > corner) return value - corner;
  return value < -corner ? value + corner : 0.0;
}

}  // namespace

std::vector<double> soft_descent(const double* hessian, const double* gradient, const double* start,
                                 const double* corners, std::size_t n, double tolerance, std::size_t max_sweeps) {
  std::vector<double> y(start, start + n), slope(gradient, gradient + n);
  for (std::size_t sweep = 0; sweep < max_sweeps; ++sweep) {
    double largest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double* row = hessian + j * n;
      const double curve = row[j];
      if (!(curve > 0)) continue;  // a column of zeros: nothing to learn from it
      const double move = softened(curve * y[j] - slope[j], corners[j]) / curve - y[j];
      if (move == 0) continue;
      y[j] += move;
      for (std::size_t k = 0; k < n; ++k) slope[k] += move * row[k];
      largest = std::max(largest, std::fabs(move) * std::sqrt(curve));
    }
    if (largest <= tolerance) break;
  }
  return y;
}

}  // namespace tw
