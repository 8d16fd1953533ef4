// _core.make_model_tree: a grown tree with an equation in every node.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "model_tree/model_tree.hpp"

namespace tw {
namespace {

Tree model_tree(const Tree& grown, const BoundTable& bound, Doubles y, nb::object weights, nb::dict rules_given,
                int threads) {
  const std::size_t n = bound.table.n_rows;
  if (y.shape(0) != n || (!weights.is_none() && nb::cast<Doubles>(weights).shape(0) != n))
    throw BadInput("one target and one weight a row were expected");
  if (grown.n_classes > 0 || static_cast<std::size_t>(grown.n_columns) != bound.table.columns.size())
    throw BadInput("a tree of numbers on the columns of the table was expected");
  ModelTreeRules rules;
  rules.prune = nb::cast<bool>(rules_given["prune"]);
  rules.clip = nb::cast<bool>(rules_given["clip"]);
  rules.penalty = nb::cast<double>(rules_given["penalty"]);
  rules.smoothing = nb::cast<double>(rules_given["smoothing"]);
  rules.max_terms = nb::cast<std::int64_t>(rules_given["max_terms"]);
  const double* w = weights.is_none() ? nullptr : nb::cast<Doubles>(weights).data();
  nb::gil_scoped_release release;
  Workers workers(n * bound.table.columns.size() < 20'000 ? 1 : threads, signal_raised);
  return make_model_tree(grown, bound.table, make_number_target(y.data(), n, w, false), rules, workers);
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("make_model_tree", &model_tree, nb::arg("grown"), nb::arg("table"), nb::arg("y"), nb::arg("weights").none(),
        nb::arg("rules"), nb::arg("threads"));
}

}  // namespace tw
