// Gradients in fixed point: the scale of a round, and the word of every row.
#pragma once

#include <algorithm>  // for max, min
#include <cstddef>    // for size_t
#include <cstdint>    // for int64_t
#include <limits>     // for numeric_limits
#include <optional>   // for optional
#include <span>       // for span
#include <vector>     // for vector

#include "base/huge_memory.hpp"
#include "base/peers.hpp"
#include "base/workers.hpp"
#include "grow/boost/words.hpp"

namespace tw {

// Of one output, by rows of the table, not weighted.
struct Gradients {
  HugeVector<float> gradient, hessian;
};

struct RowWeights {
  std::span<const double> weight;  // empty: all 1; 0 where a row does not count
  bool whole = false;              // all are whole numbers: a row of weight 2 is then exactly the row twice
  double count = 0;                // rows that are learnt from, or their weights where these are whole
};

// Units of the fixed point: powers of two, so that turning them back loses nothing.
struct Units {
  double gradient = 1, hessian = 1;  // what one unit is
  bool packed = true;                // all fit into one word
  WordLayout layout;                 // of the words
  double grid = 1;                   // steps in which scores are compared, per unit of the score
  double noise = 1;                  // mean of gradient² ÷ mean of hessian: the gain of one row of noise; see noise_of
};

// first: the sum of absolute gradients in the first round, kept there from round to round (0 before the first).
// None where the sums are no numbers: steps that are far too long have brought scores beyond the range of gradients.
std::optional<Units> choose_units(const Gradients& gradients, const RowWeights& weights, double& first,
                                  Workers& workers, Peers& peers);

// Units::noise, the same for any order of the rows.
double noise_of(const Gradients& gradients, const RowWeights& weights, Workers& workers, Peers& peers);

// Of some rows, in units.
struct WordTotals {
  std::int64_t least_hessian = std::numeric_limits<std::int64_t>::max(), largest_hessian = 0;  // of a row
  GradientSum sum;

  void add(const WordTotals& other) {
    least_hessian = std::min(least_hessian, other.least_hessian);
    largest_hessian = std::max(largest_hessian, other.largest_hessian);
    sum = sum + other.sum;
  }
  void add_those_of(Peers& peers);
};

// The words of some rows, by rows of the table; what stands at other rows means nothing. No hessian is below one unit,
// so that a sum is 0 only where there is no row.
template <class Word>
WordTotals make_words(const Gradients& gradients, const RowWeights& weights, const Units& units,
                      std::span<const std::uint32_t> rows, HugeVector<Word>& words, Workers& workers);

}  // namespace tw
