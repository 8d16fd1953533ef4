// _core.OneRow: the fast door for a single row. It reads only the values that the path asks for.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <optional>  // for optional

#include "base/error.hpp"
#include "bind/bind.hpp"
#include "predict/equation_values.hpp"
#include "predict/walk.hpp"

namespace tw {
namespace {

namespace nb = nanobind;

class OneRow {
 public:
  // levels: for each column a dict level → code, or None where it is numeric. answers: what each node says.
  OneRow(const Tree& tree, nb::list names, nb::list levels, nb::list answers)
      : tree_(tree), names_(std::move(names)), levels_(std::move(levels)), answers_(std::move(answers)) {
    if (names_.size() != static_cast<std::size_t>(tree.n_columns) || levels_.size() != names_.size() ||
        answers_.size() != tree.size())
      throw BadInput("one name and one dictionary a column and one answer a node were expected");
    if (!tree.equation_start.empty()) equations_.emplace(tree);
  }

  nb::object answer(nb::handle values) const {
    return PyDict_Check(values.ptr()) ? answer_dict(values) : answer_sequence(values);
  }

 private:
  nb::object answer_dict(nb::handle values) const {
    return answer_row([&](std::int32_t c) {
      PyObject* value = PyDict_GetItemWithError(values.ptr(), PyList_GET_ITEM(names_.ptr(), c));
      if (!value && PyErr_Occurred()) throw nb::python_error();
      return value ? number(value, c) : std::numeric_limits<double>::quiet_NaN();
    });
  }

  nb::object answer_sequence(nb::handle values) const {
    nb::object fast =
        nb::steal(PySequence_Fast(values.ptr(), "one row: a list, a tuple or a dict of values was expected"));
    if (!fast.is_valid()) throw nb::python_error();
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(fast.ptr());
    if (n != tree_.n_columns)
      throw BadInput("The row has " + std::to_string(n) + " values, but the model has " +
                     std::to_string(tree_.n_columns) + " columns.");
    PyObject** items = PySequence_Fast_ITEMS(fast.ptr());
    return answer_row([&](std::int32_t c) { return number(items[c], c); });
  }

  template <class ValueOf>
  nb::object answer_row(ValueOf&& value_of) const {
    const std::int32_t node = walk(value_of);
    if (equations_) return nb::float_(equations_->value(static_cast<std::size_t>(node), value_of));
    return nb::borrow(PyList_GET_ITEM(answers_.ptr(), node));
  }

  // A row that would be spread over several branches is left to the slower door.
  template <class ValueOf>
  std::int32_t walk(ValueOf&& value_of) const {
    std::int32_t node = 0;
    while (tree_.n_children[node] > 0) {
      const std::int32_t branch = branch_of_row(tree_, node, value_of);
      if (branch == kMissingSpreads) throw BadInput("this row goes down several branches");
      if (branch < 0) break;
      node = tree_.child(node, branch);
    }
    return node;
  }

  double number(PyObject* value, std::int32_t c) const {
    if (PyObject* levels = PyList_GET_ITEM(levels_.ptr(), c); levels != Py_None) {
      PyObject* code = PyDict_GetItemWithError(levels, value);
      if (!code && PyErr_Occurred()) throw nb::python_error();
      return code ? PyLong_AsDouble(code) : std::numeric_limits<double>::quiet_NaN();
    }
    if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value);
    if (value == Py_None) return std::numeric_limits<double>::quiet_NaN();
    const double x = PyFloat_AsDouble(value);
    if (x == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      const std::string name = nb::cast<std::string>(nb::handle(PyList_GET_ITEM(names_.ptr(), c)));
      throw BadInput("Column '" + name + "' is numeric, but the row holds " +
                     nb::cast<std::string>(nb::repr(nb::handle(value))) + ".");
    }
    return x;
  }

  const Tree& tree_;
  nb::list names_, levels_, answers_;
  std::optional<Equations> equations_;
};

}  // namespace

void bind_one_row(nb::module_& m) {
  nb::class_<OneRow>(m, "OneRow", "Answers one row at a time.")
      .def(nb::init<const Tree&, nb::list, nb::list, nb::list>(), nb::arg("tree"), nb::arg("names"), nb::arg("levels"),
           nb::arg("answers"), nb::keep_alive<1, 2>())
      .def("__call__", &OneRow::answer, nb::arg("values"));
}

}  // namespace tw
