// Deviations: one column at one node as the test of conditional trees sees it.
//
// The rows of each value have a weight a and, for each part k of the target, a sum of influences s: the rows of class
// k, or Σ w·y. Under all permutations of the target s has the mean a·S/N and a covariance that is the product of a part
// of the column and the part V of the target (Strasser and Weber 1999). d = s − a·S/N is all that tests and cuts need.
//
// V of class indicators is diag(p) − p·pᵀ. For deviations, which sum to zero over the classes, its pseudo-inverse acts
// as diag(1/p): a number for each class is enough and nothing has to be decomposed. Its rank is exact for the same
// reason; libcoin finds it from eigenvalues above a tolerance.
#pragma once

#include <cmath>    // for floor
#include <cstddef>  // for size_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/tables/splitter.hpp"

namespace tw {

struct Deviations {
  std::size_t size = 0;         // values
  std::size_t parts = 0;        // of the target: classes, or 1
  std::vector<double> weight;   // of each value, in units
  std::vector<double> d;        // size × parts
  std::vector<double> inverse;  // of each part: its factor in d·V⁺·d
  std::vector<double> spread;   // of each part: V on the diagonal
  double total = 0;             // weight of all values, in units
  double n = 0;                 // the same as a number of rows
  double rank = 0;              // of V

  const double* of(std::size_t i) const { return d.data() + i * parts; }
  bool can_be_tested() const { return size > 1 && n > 1 && rank > 0; }
};

// Fills `to` from the counts. `class_scores`: what each class of an ordinal target counts as; empty otherwise.
// `with_missing`: rows without a value are one more value, the last.
void take_deviations(const ColumnCounts& counts, double unit, std::span<const double> class_scores, bool with_missing,
                     Deviations& to);

// The statistic of a column: how far the target's sums are from what permutations would give.

enum class StatisticKind { quadratic, maximum };

struct Association {
  double statistic = 0;
  double degrees = 0;  // quadratic: rank of the covariance; maximum: entries that can vary
};

// An ordered column: its values count by their scores. A nominal one: by an indicator for each level.
Association associate_ordered(const Deviations& column, std::span<const double> scores, StatisticKind kind);
Association associate_levels(const Deviations& column, StatisticKind kind);

// Statistics in whole steps, so that what is equal on paper is equal here. `share`: of n − 1.
inline double in_steps(double share) { return std::floor(share * 1099511627776.0 + 0.5); }  // 2^40

inline double in_steps(double statistic, double n, StatisticKind kind) {
  return in_steps((kind == StatisticKind::quadratic ? statistic : statistic * statistic) / (n - 1));
}

// What the values of an ordered column count as in a test.

// By code − 1. Numbers are themselves, divided by a power of two so that squares do not overflow; an infinity lies one
// range beyond the last finite number. Ordinal levels are 1, 2, 3 … among those that occur at the root, as in partykit.
// Nominal columns have none.
std::vector<double> column_scores(const NodeView& root, std::int32_t column);

}  // namespace tw
