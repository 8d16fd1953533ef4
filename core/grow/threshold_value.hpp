// The number of a test `x <= t` that separates two neighbouring values of a node.
#pragma once

#include <cmath>  // for isfinite

#include "table/column.hpp"

namespace tw {

// The midpoint, or the left value where the midpoint cannot be told from the right one.
inline double midpoint(double left, double right) {
  double middle = left + (right - left) / 2;
  if (!std::isfinite(middle)) middle = left / 2 + right / 2;
  return middle >= left && middle < right ? middle : left;
}

// Ordinal columns have no numbers between their levels: the code of the last level on the left is stored.
inline double threshold_between(const Column& column, std::uint32_t left_row, std::uint32_t right_row) {
  if (column.kind == Kind::ordinal) return column.value(left_row);
  return midpoint(column.value(left_row), column.value(right_row));
}

}  // namespace tw
