// _core.prune_by_errors, _core.keep_rows and _core.prune_by_kept_rows: what C4.5 does after growing.
#include <nanobind/stl/string.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_table.hpp"
#include "bind/bound_target.hpp"
#include "prune/error_based.hpp"
#include "prune/keep_rows.hpp"
#include "prune/reduced_error_in_pieces.hpp"

namespace tw {
namespace {

using Rows = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check(const Tree& tree, const BoundTable& table, const BoundTarget& target) {
  if (tree.n_columns != static_cast<std::int32_t>(table.table.columns.size()) || tree.n_classes == 0 ||
      tree.n_classes != static_cast<std::int32_t>(target.target.n_classes))
    throw BadInput("the tree does not belong to this table");
}

std::span<const std::uint32_t> rows_in(const Rows& rows, const BoundTable& table) {
  for (std::size_t i = 0; i < rows.shape(0); ++i)
    if (rows.data()[i] >= table.table.n_rows) throw BadInput("a row number beyond the table");
  return {rows.data(), rows.shape(0)};
}

// Only the impurity that is stored with each node is asked for.
Recipe with_criterion(const std::string& name) {
  Recipe recipe;
  recipe.criterion = name == "entropy" ? CriterionName::entropy
                     : name == "error" ? CriterionName::error
                                       : CriterionName::gini;
  return recipe;
}

Tree by_errors(const Tree& tree, const BoundTable& table, const BoundTarget& target, Rows rows, nb::dict choices) {
  check(tree, table, target);
  auto flag = [&](const char* name) { return nb::cast<bool>(choices[name]); };
  ErrorPruning how;
  how.collapse = flag("collapse"), how.prune = flag("prune"), how.raise = flag("raise_subtrees");
  how.first_answers = flag("first_answers"), how.pessimistic.as_j48 = flag("as_j48");
  how.pessimistic.confidence = nb::cast<double>(choices["confidence"]),
  how.pessimistic.z = nb::cast<double>(choices["z"]);
  const Recipe recipe = with_criterion(nb::cast<std::string>(choices["criterion"]));
  const auto grown = rows_in(rows, table);
  nb::gil_scoped_release release;
  Workers workers(1, signal_raised);
  return prune_by_errors(tree, table.table, target.target, grown, recipe, how, workers);
}

Tree by_kept_rows(const Tree& tree, const BoundTable& table, const BoundTarget& target, Rows grown, Rows kept) {
  check(tree, table, target);
  const auto grown_rows = rows_in(grown, table), kept_rows = rows_in(kept, table);
  nb::gil_scoped_release release;
  Workers workers(1, signal_raised);
  return prune_by_kept_rows(tree, table.table, target.target, grown_rows, kept_rows, with_criterion("entropy"),
                            workers);
}

nb::ndarray<nb::numpy, std::uint32_t> rows_that_count(const BoundTarget& target) {
  return to_numpy(std::vector<std::uint32_t>(target.target.rows));
}

nb::tuple kept_rows(const BoundTarget& target, std::size_t folds) {
  auto [grown, kept] = keep_rows(target.target, folds);
  return nb::make_tuple(to_numpy(std::move(grown)), to_numpy(std::move(kept)));
}

}  // namespace

void bind_prune_c45(nb::module_& m) {
  m.def("prune_by_errors", &by_errors, nb::arg("tree"), nb::arg("table"), nb::arg("target"), nb::arg("rows"),
        nb::arg("choices"));
  m.def("rows_that_count", &rows_that_count, nb::arg("target"));
  m.def("keep_rows", &kept_rows, nb::arg("target"), nb::arg("folds"));
  m.def("prune_by_kept_rows", &by_kept_rows, nb::arg("tree"), nb::arg("table"), nb::arg("target"), nb::arg("grown"),
        nb::arg("kept"));
}

}  // namespace tw
