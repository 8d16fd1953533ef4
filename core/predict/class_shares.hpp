// The class shares of each row's node, as a row-major matrix rows × classes.
#pragma once

#include <algorithm>  // for clamp
#include <cmath>      // for isfinite, isnan
#include <span>       // for span

#include "base/workers.hpp"
#include "predict/frame.hpp"
#include "tree/tree.hpp"

namespace tw {

// shares: zeros on entry.
void class_shares(const Tree& tree, std::span<const std::int32_t> nodes, double* shares, Workers& workers);

// What a tree with equations answers.

// The equations of a tree, ready to be asked.
class Equations {
 public:
  explicit Equations(const Tree& tree)
      : tree_(tree), intercept_(*tree.extra("intercept")), low_(tree.extra("lowest")), high_(tree.extra("highest")) {}

  // value_of(column) gives the row's number or level code, NaN where it has none. An infinite number counts as none.
  template <class ValueOf>
  double value(std::size_t node, ValueOf&& value_of) const {
    double sum = intercept_[node];
    for (auto k = tree_.equation_start[node]; k < tree_.equation_start[node + 1]; ++k) {
      const Term& term = tree_.equation_terms[k];
      const double x = value_of(term.column);
      if (!std::isfinite(x))
        sum += term.filler;
      else
        sum += term.level == 0 ? term.weight * x : x == double(term.level) ? term.weight : 0.0;
    }
    if (std::isnan(sum)) sum = tree_.value[node];  // numbers so large that they cancel to nothing
    return low_ ? std::clamp(sum, (*low_)[node], (*high_)[node]) : sum;
  }

 private:
  const Tree& tree_;
  const std::vector<double>& intercept_;
  const std::vector<double>*low_, *high_;
};

// value_of_row[i] = the answer to row i; of a row in several leaves the mean of them, by its shares.
void equation_values(const Tree& tree, const Frame& frame, double* value_of_row, Workers& workers);

}  // namespace tw
