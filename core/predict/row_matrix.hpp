// RowMatrix: rows of numbers in row-major memory.
#pragma once

#include <cstddef>      // for size_t
#include <type_traits>  // for is_same_v

#include "predict/frame.hpp"

namespace tw {

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

}  // namespace tw
