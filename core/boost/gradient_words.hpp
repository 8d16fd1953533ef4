// Gradients in fixed point: the scale of a round, and the word of every row.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "boost/words.hpp"

namespace tw {

// Of one output, by rows of the table, not weighted.
struct Gradients {
  std::vector<float> gradient, hessian;
};

struct RowWeights {
  std::span<const double> weight;  // empty: all 1; 0 where a row does not count
  bool whole = false;              // all are whole numbers: a row of weight 2 is then exactly the row twice
};

// Units of the fixed point: powers of two, so that turning them back loses nothing.
struct Units {
  double gradient = 1, hessian = 1;  // what one unit is
  bool packed = true;                // both fit into one word
  double noise = 1;                  // mean of gradient² ÷ mean of hessian: the gain of one row of noise
};

// first: the sum of absolute gradients in the first round, kept there from round to round (0 before the first).
Units choose_units(const Gradients& gradients, const RowWeights& weights, double& first, Workers& workers);

// The words of some rows, in their order. Returns the largest hessian among them, in units. No hessian is below one
// unit, so that a sum is 0 only where there is no row.
template <class Word>
std::int64_t make_words(const Gradients& gradients, const RowWeights& weights, const Units& units,
                        std::span<const std::uint32_t> rows, std::vector<Word>& words, Workers& workers);

}  // namespace tw
