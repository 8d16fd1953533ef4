// Directions in which a node may be cut: ridge regression and ridge-logistic regression of a target on the columns of a
// standardized, with fewer and fewer columns.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/splitter/oblique/standardized_rows.hpp"

namespace tw {

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
