// _core.grow_forest.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>  // for max
#include <optional>   // for optional

#include "base/counted_random.hpp"
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "ensemble/ensemble.hpp"
#include "grow/forest/coded_tree.hpp"
#include "grow/forest/grow_forest.hpp"
#include "grow/forest/importance.hpp"
#include "grow/forest/leaf_rows.hpp"
#include "grow/forest/out_of_bag.hpp"

namespace tw {
namespace {

Sampling sampling_of(const std::string& name) {
  if (name == "all_rows") return Sampling::all_rows;
  if (name == "with_replacement") return Sampling::with_replacement;
  if (name == "without_replacement") return Sampling::without_replacement;
  if (name == "balanced") return Sampling::balanced;
  throw BadInput("unknown sampling '" + name + "'");
}

CriterionName forest_criterion(const std::string& name) {
  if (name == "gini") return CriterionName::gini;
  if (name == "entropy") return CriterionName::entropy;
  if (name == "squared_error") return CriterionName::squared_error;
  throw BadInput("a forest knows no criterion '" + name + "'");
}

template <class T>
void read(const nb::dict& d, const char* name, T& to) {
  if (d.contains(name) && !d[name].is_none()) to = nb::cast<T>(d[name]);
}

ForestRules forest_rules(const nb::dict& d) {
  ForestRules rules;
  StopRules& stop = rules.recipe.stop;
  rules.recipe.criterion = forest_criterion(nb::cast<std::string>(d["criterion"]));
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
  read(d, "groups", rules.groups);
  read(d, "class_weights", rules.class_weights);
  read(d, "balance_classes", rules.balance_classes);
  read(d, "out_of_bag", rules.out_of_bag);
  read(d, "keep_nodes", rules.keep_nodes);
  if (d.contains("voting") && nb::cast<std::string>(d["voting"]) == "vote") rules.voting = Voting::vote;
  read(d, "block_bytes", rules.block_bytes);
  return rules;
}

// Where every row ends in one tree: rows × trees.
template <class Cells>
void write_nodes(const SmallTree& grown, const Cells& cells, std::size_t tree, std::size_t n_trees,
                 std::vector<std::int32_t>& nodes) {
  const CodedTree coded = code_tree(grown, cells);
  for (std::size_t row = 0; row < cells.n_rows; ++row) {
    std::uint32_t end = 0;
    walk(coded, cells, cells.row(row), [&](std::uint32_t, std::uint32_t child) { end = child; });
    nodes[row * n_trees + tree] = static_cast<std::int32_t>(end);
  }
}

// Often at first, then after every 16 trees: a score costs a look at every row.
bool shows_score(std::int64_t n_trees) { return n_trees % 16 == 0 || (n_trees & (n_trees - 1)) == 0; }

// The classes in the leaves of one tree, shrunk towards those of the nodes above (hierarchical shrinkage: Agarwal, Tan,
// Ronen, Singh and Yu 2022): the shares of a branch are those of its node and 1 / (1 + shrinkage / weight of the node)
// of the step from there. What the leaves below a node hold together stays as it was, so that inner nodes, whose
// classes are added up from their leaves, are shrunk as well. Every class of the root is in every leaf then.
void shrink_classes(SmallTree& tree, double shrinkage, std::size_t n_classes) {
  const std::size_t n_nodes = tree.size();
  if (n_nodes == 1) return;  // nothing is above
  const std::vector<std::uint32_t> second = second_children(tree.test);
  std::vector<double> counts(n_nodes * n_classes, 0.0), weight(n_nodes, 0.0);
  std::vector<std::uint32_t> parent(n_nodes, 0);
  std::size_t leaf = 0;
  for (std::size_t node = 0; node < n_nodes; ++node) {
    if (!is_leaf(tree.test[node])) {
      parent[node + 1] = parent[second[node]] = static_cast<std::uint32_t>(node);
      continue;
    }
    for (std::uint32_t k = tree.count_start[leaf]; k < tree.count_start[leaf + 1]; ++k)
      counts[node * n_classes + tree.count_class[k]] = tree.count_weight[k], weight[node] += tree.count_weight[k];
    ++leaf;
  }
  for (std::size_t node = n_nodes - 1; node > 0; --node) {  // children stand behind their parents
    weight[parent[node]] += weight[node];
    for (std::size_t k = 0; k < n_classes; ++k) counts[parent[node] * n_classes + k] += counts[node * n_classes + k];
  }
  std::vector<double> shares(n_nodes * n_classes);
  tree.count_start.assign(1, 0), tree.count_class.clear(), tree.count_weight.clear();
  for (std::size_t node = 0; node < n_nodes; ++node) {
    const std::size_t above = parent[node];
    const double kept = 1 / (1 + shrinkage / weight[above]);
    for (std::size_t k = 0; k < n_classes; ++k) {
      const double own = counts[node * n_classes + k] / weight[node];
      double& share = shares[node * n_classes + k];
      share = own;
      if (node > 0)
        share = shares[above * n_classes + k] + (own - counts[above * n_classes + k] / weight[above]) * kept;
      if (!is_leaf(tree.test[node]) || counts[k] == 0) continue;
      tree.count_class.push_back(static_cast<std::uint16_t>(k));
      tree.count_weight.push_back(std::max(0.0, share) * weight[node]);
    }
    if (is_leaf(tree.test[node])) tree.count_start.push_back(static_cast<std::uint32_t>(tree.count_class.size()));
  }
}

// The trees, and what is known beside them by name.
nb::tuple grow_forest(const BoundTable& table, const BoundTarget& target, nb::dict given, Progress& progress,
                      int threads) {
  const ForestRules rules = forest_rules(given);
  Ensemble forest(static_cast<std::int32_t>(table.table.columns.size()),
                  static_cast<std::int32_t>(target.target.n_classes));
  forest.trees.resize(rules.n_trees - rules.first_tree);
  std::vector<double> sums;
  std::vector<std::uint32_t> n_trees;
  std::vector<std::uint32_t> drawn_from;
  std::uint64_t n_draws = 0;
  double shrinkage = 0;  // of classes; it changes what leaves say, not how trees grow
  read(given, "shrinkage", shrinkage);
  std::vector<std::int32_t> nodes(rules.keep_nodes ? table.table.n_rows * forest.trees.size() : 0);
  {
    nb::gil_scoped_release release;
    Workers workers(threads, signal_raised);
    const RowDrawer drawer(table.table, target.target, rules, workers);
    drawn_from = drawer.drawn_from(), n_draws = drawer.n_draws();
    std::optional<OutOfBag> out;
    if (rules.out_of_bag) out.emplace(table.table.n_rows, target.target, rules.voting);
    with_cells_of(table.table, rules, workers, [&](const auto& cells) {
      const TreeDone done = [&](std::uint32_t tree, SmallTree& grown, const std::vector<std::uint32_t>& counts) {
        if (shrinkage > 0) shrink_classes(grown, shrinkage, target.target.n_classes);
        if (out) {
          out->add(grown, cells, counts);
          if (shows_score(progress.done + 1)) progress.score = out->score();
        }
        if (rules.keep_nodes) write_nodes(grown, cells, tree - rules.first_tree, forest.trees.size(), nodes);
        forest.trees[tree - rules.first_tree] = std::move(grown);
      };
      grow_trees(cells, {target.target, drawer, rules, workers, progress}, done);
    });
    if (out) sums = out->sums(), n_trees = out->n_trees(), progress.score = out->score();
  }
  nb::dict known;
  known["drawn_from"] = to_numpy(std::move(drawn_from));
  known["n_draws"] = n_draws;
  if (rules.keep_nodes) known["nodes"] = to_numpy(std::move(nodes));
  if (rules.out_of_bag) {
    known["sums"] = to_numpy(std::move(sums));
    known["n_trees"] = to_numpy(std::move(n_trees));
  }
  return nb::make_tuple(nb::cast(std::move(forest)), known);
}

// One row a tree, one column a column of the table. kind: "unbiased" or "permutation".
nb::ndarray<nb::numpy, double> forest_importance(const BoundTable& table, const BoundTarget& target,
                                                 const Ensemble& forest, nb::dict given, const std::string& kind,
                                                 int threads) {
  const ForestRules rules = forest_rules(given);
  const std::size_t n_columns = table.table.columns.size();
  if (static_cast<std::size_t>(forest.n_columns) != n_columns) throw BadInput("the table has other columns");
  auto* kept = new std::vector<double>(forest.trees.size() * n_columns, 0.0);
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  {
    nb::gil_scoped_release release;
    Workers workers(threads, signal_raised);
    const RowDrawer drawer(table.table, target.target, rules, workers);
    with_cells_of(table.table, rules, workers, [&](const auto& cells) {
      workers.run(forest.trees.size(), [&](std::size_t tree, int) {
        std::vector<std::uint32_t> counts;
        drawer.draw(static_cast<std::uint32_t>(tree), counts);
        const CodedTree grown = code_tree(forest.trees[tree], cells);
        const TreeImportance importance(cells, target.target, grown, counts);
        const auto stream = stream_key({rules.seed, static_cast<std::uint64_t>(Purpose::permutation), tree});
        const auto found = kind == "permutation" ? importance.by_permutation(stream) : importance.unbiased();
        std::copy(found.begin(), found.end(), kept->begin() + static_cast<std::ptrdiff_t>(tree * n_columns));
      });
    });
  }
  return nb::ndarray<nb::numpy, double>(kept->data(), {forest.trees.size(), n_columns}, owner);
}

using NodeTable = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

NodesOfRows nodes_of(const NodeTable& nodes) { return {nodes.data(), nodes.shape(0), nodes.shape(1)}; }

void check_nodes(const NodeTable& training, const NodeTable& rows) {
  if (training.shape(1) != rows.shape(1)) throw BadInput("the two sets of rows went through other numbers of trees");
  for (std::size_t i = 0; i < training.shape(0) * training.shape(1); ++i)
    if (training.data()[i] < 0) throw BadInput("a node number below 0");
}

nb::tuple nearest(NodeTable training, NodeTable rows, std::size_t k, int threads) {
  check_nodes(training, rows);
  std::vector<std::int32_t> found(rows.shape(0) * k), shared(rows.shape(0) * k);
  {
    nb::gil_scoped_release release;
    Workers workers(threads, signal_raised);
    const LeafRows leaves(nodes_of(training), workers);
    nearest_rows(leaves, nodes_of(rows), k, workers, found.data(), shared.data());
  }
  return nb::make_tuple(to_numpy(std::move(found)), to_numpy(std::move(shared)));
}

std::vector<double> copied(const Doubles& values) { return {values.data(), values.data() + values.shape(0)}; }

nb::ndarray<nb::numpy, double> quantiles(NodeTable training, NodeTable rows, Doubles y, Doubles weights, Doubles shares,
                                         int threads) {
  check_nodes(training, rows);
  if (y.shape(0) != training.shape(0) || weights.shape(0) != training.shape(0))
    throw BadInput("as many targets and weights as training rows were expected");
  std::vector<double> found(rows.shape(0) * shares.shape(0));
  {
    nb::gil_scoped_release release;
    Workers workers(threads, signal_raised);
    const LeafRows leaves(nodes_of(training), workers);
    leaf_quantiles(leaves, nodes_of(rows), copied(y), copied(weights), copied(shares), workers, found.data());
  }
  return to_numpy(std::move(found));
}

}  // namespace

void bind_forest(nb::module_& m) {
  m.def("forest_importance", &forest_importance, nb::arg("table"), nb::arg("target"), nb::arg("forest"),
        nb::arg("rules"), nb::arg("kind"), nb::arg("threads"));
  m.def("nearest_by_leaves", &nearest, nb::arg("training"), nb::arg("rows"), nb::arg("k"), nb::arg("threads"));
  m.def("leaf_quantiles", &quantiles, nb::arg("training"), nb::arg("rows"), nb::arg("y"), nb::arg("weights"),
        nb::arg("shares"), nb::arg("threads"));
  m.def("grow_forest", &grow_forest, nb::arg("table"), nb::arg("target"), nb::arg("rules"), nb::arg("progress"),
        nb::arg("threads"));
}

}  // namespace tw
