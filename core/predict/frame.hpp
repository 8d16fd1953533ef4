// Frame: the rows to predict, column by column, as the user has them: numbers where they lie in memory, nominal and
// ordinal columns as level codes of the training dictionary (0: missing or never seen).
#pragma once

#include <cmath>        // for nextafter
#include <cstddef>      // for size_t
#include <cstdint>      // for int32_t
#include <limits>       // for numeric_limits
#include <type_traits>  // for is_same_v
#include <vector>       // for vector

#include "table/values.hpp"

namespace tw {

struct FrameColumn {
  bool is_levels = false;
  Values numbers;                       // numeric
  const std::int32_t* codes = nullptr;  // levels
  std::ptrdiff_t code_stride = 4;       // bytes

  // A number, or a level code; NaN where there is none.
  double at(std::size_t row) const {
    if (!is_levels) return numbers.at(row);
    std::int32_t code;
    std::memcpy(&code, reinterpret_cast<const char*>(codes) + static_cast<std::ptrdiff_t>(row) * code_stride, 4);
    return code > 0 ? static_cast<double>(code) : std::numeric_limits<double>::quiet_NaN();
  }
};

struct Frame {
  std::size_t n_rows = 0;
  std::vector<FrameColumn> columns;
};

// RowMatrix: rows of numbers in row-major memory.

template <class Number>
struct RowMatrix {
  const Number* first = nullptr;
  std::size_t stride = 0;  // numbers from one row to the next

  const Number* row(std::size_t i) const { return first + i * stride; }
  RowMatrix from(std::size_t i) const { return {row(i), stride}; }
};

// The frame's own memory where it is a matrix of this number type, as numpy gives it; first = null where it is not.
template <class Number>
RowMatrix<Number> matrix_of(const Frame& frame) {
  const NumberType type = std::is_same_v<Number, float> ? NumberType::f32 : NumberType::f64;
  if (frame.columns.empty()) return {};
  const Values& first = frame.columns[0].numbers;
  for (std::size_t c = 0; c < frame.columns.size(); ++c) {
    const Values& v = frame.columns[c].numbers;
    if (frame.columns[c].is_levels || v.type != type || v.missing || v.stride != first.stride ||
        v.data != first.data + c * sizeof(Number))
      return {};
  }
  if (first.stride <= 0 || first.stride % sizeof(Number) != 0) return {};
  return {reinterpret_cast<const Number*>(first.data), static_cast<std::size_t>(first.stride) / sizeof(Number)};
}

// The largest number of a type that is not above a double: a float x is above t exactly when it is above
// round_down<float>(t).

template <class Number>
Number round_down(double x) {
  const auto near = static_cast<Number>(x);
  return static_cast<double>(near) > x ? std::nextafter(near, -std::numeric_limits<Number>::infinity()) : near;
}

}  // namespace tw
