// _core.boost.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/progress.hpp"
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "bind/python_loss.hpp"
#include "bind/python_peers.hpp"
#include "ensemble/ensemble.hpp"
#include "grow/boost/booster.hpp"

namespace tw {
namespace {

using Rows = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
void take(const nb::dict& given, const char* name, T& to) {
  if (given.contains(name) && !given[name].is_none()) to = nb::cast<T>(given[name]);
}

BoostRules boost_rules(const nb::dict& given) {
  BoostRules rules;
  take(given, "loss", rules.loss);
  take(given, "n_estimators", rules.n_estimators);
  take(given, "learning_rate", rules.learning_rate);
  take(given, "alpha", rules.alpha);
  take(given, "max_leaf_nodes", rules.max_leaf_nodes);
  take(given, "max_depth", rules.max_depth);
  take(given, "level_wise", rules.level_wise);
  take(given, "min_samples_leaf", rules.min_samples_leaf);
  take(given, "min_hessian", rules.min_hessian);
  take(given, "l2_regularization", rules.l2_regularization);
  take(given, "min_gain", rules.min_gain);
  take(given, "subsample", rules.subsample);
  take(given, "columns_per_tree", rules.columns_per_tree);
  take(given, "columns_per_node", rules.columns_per_node);
  take(given, "seed", rules.seed);
  take(given, "max_bins", rules.max_bins);
  take(given, "level_smoothing", rules.level_smoothing);
  take(given, "level_support", rules.level_support);
  take(given, "level_charge", rules.level_charge);
  take(given, "together", rules.together);
  take(given, "patience", rules.patience);
  take(given, "tolerance", rules.tolerance);
  std::vector<int> monotone;
  take(given, "monotone", monotone);
  rules.monotone.assign(monotone.begin(), monotone.end());
  return rules;
}

// rows: those that are learnt from, ascending; held_out: those that judge. Both are rows of the table.
nb::tuple boost_table(const BoundTable& bound, Doubles y, std::uint32_t n_classes, nb::object weights, Rows rows,
                      Rows held_out, nb::object held_out_weights, nb::dict values, nb::object own_loss, int threads,
                      Progress& progress, nb::object peers) {
  BoostTask task;
  task.table = &bound.table;
  PythonPeers others(peers);
  task.labels = {span_of(y), span_or_none(weights), n_classes, &others};
  task.rows = span_of(rows), task.held_out = span_of(held_out);
  task.held_out_weight = span_or_none(held_out_weights);
  if (!own_loss.is_none()) task.own_loss = std::make_unique<PythonLoss>(task.labels, own_loss);
  const BoostRules rules = boost_rules(values);
  Boosted boosted;
  {
    nb::gil_scoped_release release;
    Workers workers(rows.shape(0) * bound.table.columns.size() < 200'000 ? 1 : threads, signal_raised);
    boosted = boost(std::move(task), rules, workers, progress);
  }
  Ensemble ensemble;
  ensemble.n_columns = static_cast<std::int32_t>(bound.table.columns.size());
  ensemble.trees = std::move(boosted.trees);
  return nb::make_tuple(nb::cast(std::move(ensemble)), to_numpy(std::move(boosted.start)),
                        to_numpy(std::move(boosted.losses)));
}

}  // namespace

void bind_boost(nb::module_& m) {
  m.def("boost", &boost_table, nb::arg("table"), nb::arg("y"), nb::arg("n_classes"), nb::arg("weights").none(),
        nb::arg("rows"), nb::arg("held_out"), nb::arg("held_out_weights").none(), nb::arg("rules"),
        nb::arg("own_loss").none(), nb::arg("threads"), nb::arg("progress"), nb::arg("peers").none() = nb::none(),
        "Boosted trees: the ensemble, the constants to start from, and the losses by which rounds were judged.");
}

}  // namespace tw
