// _core.OneRow: the fast door for a single row. It reads only the values that the path asks for.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <optional>  // for optional

#include "base/error.hpp"
#include "bind/bind.hpp"
#include "bind/row_reader.hpp"
#include "predict/class_shares.hpp"
#include "predict/walk.hpp"

namespace tw {
namespace {

namespace nb = nanobind;

class OneRow {
 public:
  // levels: for each column a dict level → code, or None where it is numeric. answers: what each node says.
  OneRow(const Tree& tree, nb::list names, nb::list levels, nb::list answers)
      : tree_(tree), reader_(std::move(names), std::move(levels)), answers_(std::move(answers)) {
    reader_.check_columns(tree.n_columns);
    if (answers_.size() != tree.size()) throw BadInput("one answer a node was expected");
    if (!tree.equation_start.empty()) equations_.emplace(tree);
  }

  nb::object answer(nb::handle values) const {
    return reader_.read(values, [&](auto&& value_of) { return answer_row(value_of); });
  }

 private:
  template <class ValueOf>
  nb::object answer_row(ValueOf&& value_of) const {
    const std::int32_t node = walk(value_of);
    if (equations_) return nb::float_(equations_->value(static_cast<std::size_t>(node), value_of));
    return nb::borrow(PyList_GetItem(answers_.ptr(), node));
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

  const Tree& tree_;
  RowReader reader_;
  nb::list answers_;
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
