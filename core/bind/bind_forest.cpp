// _core.grow_forest.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>  // for optional

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_table.hpp"
#include "bind/bound_target.hpp"
#include "ensemble/ensemble.hpp"
#include "forest/grow_forest.hpp"
#include "forest/out_of_bag.hpp"

namespace tw {
namespace {

Sampling sampling_of(const std::string& name) {
  if (name == "all_rows") return Sampling::all_rows;
  if (name == "with_replacement") return Sampling::with_replacement;
  if (name == "without_replacement") return Sampling::without_replacement;
  if (name == "balanced") return Sampling::balanced;
  throw BadInput("unknown sampling '" + name + "'");
}

CriterionName criterion_of(const std::string& name) {
  if (name == "gini") return CriterionName::gini;
  if (name == "entropy") return CriterionName::entropy;
  if (name == "squared_error") return CriterionName::squared_error;
  throw BadInput("a forest knows no criterion '" + name + "'");
}

template <class T>
void read(const nb::dict& d, const char* name, T& to) {
  if (d.contains(name) && !d[name].is_none()) to = nb::cast<T>(d[name]);
}

ForestRules rules_of(const nb::dict& d) {
  ForestRules rules;
  StopRules& stop = rules.recipe.stop;
  rules.recipe.criterion = criterion_of(nb::cast<std::string>(d["criterion"]));
  read(d, "max_depth", stop.max_depth);
  read(d, "min_samples_split", stop.min_samples_split);
  read(d, "min_samples_leaf", stop.min_samples_leaf);
  read(d, "max_leaf_nodes", stop.max_leaves);
  read(d, "min_impurity_decrease", stop.min_impurity_decrease);
  read(d, "min_weight_leaf", stop.min_weight_leaf);
  read(d, "seed", rules.seed);
  read(d, "n_trees", rules.n_trees);
  read(d, "first_tree", rules.first_tree);
  read(d, "max_features", rules.max_features);
  read(d, "random_cuts", rules.random_cuts);
  rules.sampling = sampling_of(nb::cast<std::string>(d["sampling"]));
  read(d, "draws", rules.draws);
  read(d, "share_of_draws", rules.share_of_draws);
  read(d, "class_weights", rules.class_weights);
  read(d, "balance_classes", rules.balance_classes);
  read(d, "out_of_bag", rules.out_of_bag);
  if (d.contains("voting") && nb::cast<std::string>(d["voting"]) == "vote") rules.voting = Voting::vote;
  read(d, "block_bytes", rules.block_bytes);
  return rules;
}

// The trees, and what is known beside them by name.
nb::tuple grow_forest(const BoundTable& table, const BoundTarget& target, nb::dict given, Progress& progress,
                      int threads) {
  const ForestRules rules = rules_of(given);
  Ensemble forest(static_cast<std::int32_t>(table.table.columns.size()),
                  static_cast<std::int32_t>(target.target.n_classes));
  forest.trees.resize(rules.n_trees - rules.first_tree);
  std::vector<double> sums;
  std::vector<std::uint32_t> n_trees;
  {
    nb::gil_scoped_release release;
    Workers workers(threads, signal_raised);
    const ForestCodes codes = code_for_forest(table.table, workers);
    const RowDrawer drawer(table.table, target.target, rules, workers);
    std::optional<OutOfBag> out;
    if (rules.out_of_bag) out.emplace(codes, target.target, rules.voting);
    grow_trees(codes, target.target, drawer, rules, workers, progress,
               [&](std::uint32_t tree, GrownTree& grown, const std::vector<std::uint32_t>& counts) {
                 if (out) out->add(grown, counts);
                 forest.trees[tree - rules.first_tree] = std::move(grown.tree);
               });
    if (out) sums = out->sums(), n_trees = out->n_trees();
  }
  nb::dict known;
  if (rules.out_of_bag) {
    known["sums"] = to_numpy(std::move(sums));
    known["n_trees"] = to_numpy(std::move(n_trees));
  }
  return nb::make_tuple(nb::cast(std::move(forest)), known);
}

}  // namespace

void bind_forest(nb::module_& m) {
  m.def("grow_forest", &grow_forest, nb::arg("table"), nb::arg("target"), nb::arg("rules"), nb::arg("progress"),
        nb::arg("threads"));
}

}  // namespace tw
