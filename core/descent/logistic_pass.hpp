// Log loss of two classes over all rows: value, gradient and second derivatives in one pass.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t
#include <vector>

#include "base/workers.hpp"

namespace tw {

struct LogisticRows {
  const double* matrix;  // n × p, row by row
  std::size_t n_rows, n_columns;
  const std::int32_t* codes;  // 0 or 1
  const double* weights;      // null: 1
  const double* centre;       // what is taken from each column; null: 0
  const double* scale;        // what it is then divided by; null: 1
  bool constant;              // whether a 1 stands before the columns

  std::size_t width() const { return n_columns + constant; }
};

struct LogisticSlopes {
  double value = 0;
  std::vector<double> gradient;  // width
  std::vector<double> hessian;   // width × width, empty unless asked for
};

// Sums are taken in blocks of rows and in eight lanes, in one order: the same bytes with vectors of any width. Of the
// workers only the calling thread is used, which hears Ctrl-C.
LogisticSlopes logistic_pass(const LogisticRows& rows, const double* coefficients, bool with_hessian, Workers& workers);

}  // namespace tw
