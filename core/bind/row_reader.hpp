// RowReader: the values of one row, given as a list, a tuple or a dict, one at a time and only those that are asked
// for. Nothing here is outside Python's stable interface, so that one module serves all versions; it costs no time.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>  // for int32_t
#include <limits>   // for numeric_limits
#include <string>   // for string, to_string
#include <utility>  // for move

#include "base/error.hpp"

namespace tw {

namespace nb = nanobind;

class RowReader {
 public:
  // levels: for each column a dict level → code, or None where it is numeric.
  RowReader(nb::list names, nb::list levels) : names_(std::move(names)), levels_(std::move(levels)) {}

  void check_columns(std::int32_t n_columns) const {
    if (names_.size() != static_cast<std::size_t>(n_columns) || levels_.size() != names_.size())
      throw BadInput("one name and one dictionary a column were expected");
  }

  // Gives answer(value_of), where value_of(column) is a number or a level code, NaN where the row has none.
  template <class Answer>
  auto read(nb::handle values, Answer&& answer) const {
    if (PyDict_Check(values.ptr())) {
      return answer([&](std::int32_t c) {
        PyObject* value = PyDict_GetItemWithError(values.ptr(), PyList_GetItem(names_.ptr(), c));
        if (!value && PyErr_Occurred()) throw nb::python_error();
        return value ? number(value, c) : std::numeric_limits<double>::quiet_NaN();
      });
    }
    nb::object fast =
        nb::steal(PySequence_Fast(values.ptr(), "one row: a list, a tuple or a dict of values was expected"));
    if (!fast.is_valid()) throw nb::python_error();
    const Py_ssize_t n = PySequence_Size(fast.ptr());
    if (static_cast<std::size_t>(n) != names_.size())
      throw BadInput("The row has " + std::to_string(n) + " values, but the model has " +
                     std::to_string(names_.size()) + " columns.");
    const bool is_list = PyList_Check(fast.ptr());
    return answer([&](std::int32_t c) {
      return number(is_list ? PyList_GetItem(fast.ptr(), c) : PyTuple_GetItem(fast.ptr(), c), c);
    });
  }

 private:
  double number(PyObject* value, std::int32_t c) const {
    if (PyObject* levels = PyList_GetItem(levels_.ptr(), c); levels != Py_None) {
      PyObject* code = PyDict_GetItemWithError(levels, value);
      if (!code && PyErr_Occurred()) throw nb::python_error();
      return code ? PyLong_AsDouble(code) : std::numeric_limits<double>::quiet_NaN();
    }
    if (PyFloat_CheckExact(value)) return PyFloat_AsDouble(value);
    if (value == Py_None) return std::numeric_limits<double>::quiet_NaN();
    const double x = PyFloat_AsDouble(value);
    if (x == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      const std::string name = nb::cast<std::string>(nb::handle(PyList_GetItem(names_.ptr(), c)));
      throw BadInput("Column '" + name + "' is numeric, but the row holds " +
                     nb::cast<std::string>(nb::repr(nb::handle(value))) + ".");
    }
    return x;
  }

  nb::list names_, levels_;
};

}  // namespace tw
