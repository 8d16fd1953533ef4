// The perceptron rule, one pass over the examples at a time.
#pragma once

#include "descent/examples.hpp"

namespace tw {

// What a pass keeps from one call to the next. Weights are classes × width; two classes have one row of weights.
struct PerceptronState {
  double* weights;
  double* sums;              // of what was added, each times the number of the example: for the average. May be null.
  double* pocket;            // the best weights so far. May be null: then no pocket is kept.
  std::int64_t seen = 0;     // examples so far
  std::int64_t run = 0;      // examples without a mistake
  std::int64_t longest = 0;  // the longest run that was looked at
  double pocket_errors;      // weight of the examples that the pocket gets wrong
};

// One pass in the given order. Targets are class numbers; with one row of weights class 1 is the positive side, and a
// sum of 0 is a mistake on either. Gallant's ratchet: weights are looked at when they were right for longer than any
// before (in tables of more than 10,000 rows, by half), and at the end of a pass over fewer rows. Every mistake is
// written to `mistaken` (room for n_rows) unless it is null. Returns the number of mistakes.
std::int64_t perceptron_pass(const Examples& examples, const std::int32_t* targets, const std::uint32_t* order,
                             std::size_t n_units, double rate, PerceptronState& state, std::uint32_t* mistaken);

// The weight of the examples that these weights get wrong; counting ends above `enough`.
double perceptron_errors(const Examples& examples, const std::int32_t* targets, std::size_t n_units,
                         const double* weights, double enough);

}  // namespace tw
