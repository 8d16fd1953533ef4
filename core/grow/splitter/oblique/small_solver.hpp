// Symmetric linear systems of a few dozen unknowns, by Cholesky's method, in a fixed order of operations.
#pragma once

#include <cmath>    // for sqrt
#include <cstddef>  // for size_t
#include <vector>   // for vector

namespace tw {

// Solves A·x = b; of A (n × n, by rows) the upper half is read. An unknown that the others already determine, up to
// rounding, becomes 0.
inline std::vector<double> solve_symmetric(std::vector<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  std::vector<char> dropped(n, 0);
  for (std::size_t i = 0; i < n; ++i) {  // a becomes R with A = Rᵀ·R
    const double diagonal = a[i * n + i];
    double rest = diagonal;
    for (std::size_t k = 0; k < i; ++k) rest -= a[k * n + i] * a[k * n + i];
    dropped[i] = !(rest > 1e-13 * diagonal);
    const double root = dropped[i] ? 1 : std::sqrt(rest);
    for (std::size_t j = i; j < n; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < i; ++k) sum -= a[k * n + i] * a[k * n + j];
      a[i * n + j] = dropped[i] ? 0 : sum / root;
    }
    a[i * n + i] = root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] = dropped[i] ? 0 : b[i] / a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
    b[i] = dropped[i] ? 0 : b[i] / a[i * n + i];
  }
  return b;
}

}  // namespace tw
