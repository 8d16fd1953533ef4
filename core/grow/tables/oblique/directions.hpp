// Symmetric linear systems of a few dozen unknowns, by Cholesky's method, in a fixed order of operations.
#pragma once

#include <cmath>    // for sqrt
#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/tables/oblique/standardized_rows.hpp"

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

// Directions in which a node may be cut: ridge regression and ridge-logistic regression of a target on the columns of a
// standardized, with fewer and fewer columns.

struct Direction {
  std::vector<std::uint32_t> kept;   // places of its columns in the standardized, ascending
  std::vector<double> coefficients;  // per standard deviation
};

// How much each column counts, in steps that rounding errors do not reach.
std::vector<double> strength(std::span<const double> coefficients);

// What ridge regression needs to know of a standardized and a target: centred products, by rows (upper half).
struct SquareSums {
  std::vector<double> cross, with_target;
};

// Σ w·(z − mean)·(z − mean)ᵀ from the plain products and Σ w·z.
std::vector<double> centred(std::vector<double> cross, std::span<const double> sums, double total);

Direction squares_direction(const SquareSums& sums, double ridge);
// From all columns to two: half of them are left out at a time, near the end one by one. Stops where nothing is left
// to tell apart.
std::vector<Direction> squares_directions(const SquareSums& sums, double ridge);
std::vector<Direction> logistic_directions(const StandardizedRows& standardized, std::span<const double> target,
                                           double share, double ridge);

// Where points (n × n_columns) lie along the first principal axis of all of them, from their middle. The axis points to
// the farthest of them and has length 1; all 0 where there is one point only.
std::vector<double> principal_coordinates(std::span<const double> points, std::span<const double> weights,
                                          std::size_t n_columns);

// The classes that lie on one side along the first principal axis of the class means: 1 for those, 0 for the others;
// empty when there is no such division. `sums` is Σ w·z of each class, classes × columns.
std::vector<std::uint8_t> principal_group(std::span<const double> sums, std::span<const double> weights,
                                          std::size_t n_columns);

}  // namespace tw
