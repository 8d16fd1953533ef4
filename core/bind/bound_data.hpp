// The core's table together with the Python arrays whose memory it borrows.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>  // for string
#include <vector>  // for vector

#include "bind/arrays.hpp"
#include "grow/recipe.hpp"
#include "predict/frame.hpp"
#include "table/column.hpp"
#include "table/target.hpp"

namespace tw {

struct BoundTable {
  Table table;
  std::vector<nanobind::object> kept;
};

// The core's target together with the Python arrays whose memory it borrows.

struct BoundTarget {
  Target target;
  std::vector<nanobind::object> kept;
};

// What an estimator asks of the engine, in the core's words; bind_grow.cpp reads it.
Recipe recipe_of(const nanobind::dict& values);

// Rows to predict, borrowed from numpy.

// columns: for each column of the training table ("numeric", array, mask or None) or ("levels", int32 codes, None).
inline Frame frame_of(std::size_t n_rows, nb::list columns, std::vector<nb::object>& kept) {
  Frame frame;
  frame.n_rows = n_rows;
  for (nb::handle item : columns) {
    nb::tuple entry = nb::cast<nb::tuple>(item);
    kept.push_back(entry);
    FrameColumn column;
    column.is_levels = nb::cast<std::string>(entry[0]) != "numeric";
    auto array = nb::cast<AnyArray>(entry[1]);
    if (array.ndim() != 1 || array.shape(0) != n_rows) throw BadInput("a column of another length than the table");
    if (column.is_levels) {
      if (number_type(array.dtype()) != NumberType::i32) throw BadInput("level codes must be int32");
      column.codes = static_cast<const std::int32_t*>(array.data());
      column.code_stride = array.stride(0) * 4;
    } else {
      column.numbers = borrow(array);
      if (!entry[2].is_none())
        column.numbers.missing = static_cast<const std::uint8_t*>(nb::cast<AnyArray>(entry[2]).data());
    }
    frame.columns.push_back(column);
  }
  return frame;
}

inline Frame frame_of_matrix(const AnyArray& matrix) {
  if (matrix.ndim() != 2) throw BadInput("a matrix was expected");
  Frame frame;
  frame.n_rows = matrix.shape(0);
  for (std::size_t c = 0; c < matrix.shape(1); ++c) {
    FrameColumn column;
    column.numbers = borrow(matrix, c);
    frame.columns.push_back(column);
  }
  return frame;
}

// rows: a matrix of numbers, or (n_rows, columns) as find_leaves takes them.
inline Frame frame_of_rows(nb::handle rows, std::vector<nb::object>& kept) {
  if (!nb::isinstance<nb::tuple>(rows)) {
    kept.push_back(nb::borrow(rows));
    return frame_of_matrix(nb::cast<AnyArray>(rows));
  }
  nb::tuple pair = nb::cast<nb::tuple>(rows);
  return frame_of(nb::cast<std::size_t>(pair[0]), nb::cast<nb::list>(pair[1]), kept);
}

}  // namespace tw
