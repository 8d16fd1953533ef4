// What the pruners ask of the core: rows sent down a tree, losses of held-out rows, and passes from the leaves up.

#include <nanobind/stl/string.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "predict/find_leaf_shares.hpp"
#include "predict/walk.hpp"
#include "prune/error_based.hpp"
#include "prune/live_tree.hpp"
#include "prune/losses.hpp"
#include "prune/reduced_error_in_pieces.hpp"
#include "prune/rows_at_nodes.hpp"

namespace tw {

namespace {

using Rows = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Nodes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check_nodes(const Tree& tree, const Nodes& nodes) {
  for (const std::int32_t node : span_of(nodes))
    if (node < 0 || static_cast<std::size_t>(node) >= tree.size()) throw BadInput("a node beyond the tree");
}

// Rows of the training table, walked by value.
nb::ndarray<nb::numpy, std::int32_t> leaves_of_table(const Tree& tree, const BoundTable& bound, Rows rows) {
  const Table& table = bound.table;
  std::vector<std::int32_t> leaves(rows.shape(0));
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    const std::uint32_t row = rows.data()[i];
    if (row >= table.n_rows) throw BadInput("a row number beyond the table");
    leaves[i] = find_leaf(tree, [&](std::int32_t c) { return table.columns[c].value(row); });
  }
  return to_numpy(std::move(leaves));
}

// The same with rows that may be spread: where the pieces of each row end, and how large they are.
nb::tuple leaf_shares_of_table(const Tree& tree, const BoundTable& bound, Rows rows) {
  const Table& table = bound.table;
  LeafShares found;
  found.start.push_back(0);
  std::vector<Piece> open;
  for (const std::uint32_t row : span_of(rows)) {
    if (row >= table.n_rows) throw BadInput("a row number beyond the table");
    follow(tree, [&](std::int32_t c) { return table.columns[c].value(row); }, open, found);
    found.start.push_back(static_cast<std::int64_t>(found.node.size()));
  }
  return nb::make_tuple(to_numpy(std::move(found.start)), to_numpy(std::move(found.node)),
                        to_numpy(std::move(found.share)));
}

// costs: classes only, what each answer costs where a class is true, row by row; empty: 1 for every wrong answer.
nb::tuple losses_along_path(const Tree& tree, Doubles complexity, Doubles prices, Nodes leaves, Doubles truth,
                            Doubles weights, const std::string& kind, Doubles costs) {
  if (complexity.shape(0) != tree.size() || truth.shape(0) != leaves.shape(0) || weights.shape(0) != leaves.shape(0))
    throw BadInput("arrays of different lengths");
  const auto K = static_cast<std::size_t>(tree.n_classes);
  if (costs.shape(0) != 0 && costs.shape(0) != K * K) throw BadInput("a cost for every pair of classes was expected");
  auto loss = [&](std::size_t i, std::int32_t node) {
    const double answer = K > 0 ? tree.prediction[node] : tree.value[node];
    if (costs.shape(0) == 0) return loss_of(kind, truth.data()[i], answer);
    return costs.data()[static_cast<std::size_t>(truth.data()[i]) * K + static_cast<std::size_t>(answer)];
  };
  PathLoss result = path_loss(tree, span_of(complexity), span_of(prices), span_of(leaves), span_of(weights), loss);
  return nb::make_tuple(to_numpy(std::move(result.sum)), to_numpy(std::move(result.squares)));
}

// How many different values the column of each cut has among the rows that come to the node.
nb::ndarray<nb::numpy, std::int64_t> values_of(const Tree& tree, const BoundTable& bound, Rows rows, Nodes ends,
                                               int threads) {
  if (bound.table.columns.size() != static_cast<std::size_t>(tree.n_columns))
    throw BadInput("the table has other columns than the tree");
  if (rows.shape(0) != ends.shape(0)) throw BadInput("arrays of different lengths");
  for (const std::uint32_t row : span_of(rows))
    if (row >= bound.table.n_rows) throw BadInput("a row number beyond the table");
  check_nodes(tree, ends);
  std::vector<std::int64_t> values;
  {
    nb::gil_scoped_release release;
    Workers workers(threads, signal_raised);
    values = values_at_nodes(tree, rank_columns(bound.table, workers), span_of(rows), span_of(ends));
  }
  return to_numpy(std::move(values));
}

void check_length(const Tree& tree, const Doubles& numbers) {
  if (numbers.shape(0) != tree.size()) throw BadInput("one number a node was expected");
}

nb::ndarray<nb::numpy, double> sums(const Tree& tree, Doubles values) {
  check_length(tree, values);
  return to_numpy(subtree_sums(tree, span_of(values)));
}

nb::ndarray<nb::numpy, std::uint8_t> cheaper(const Tree& tree, Doubles as_leaf, Doubles kept, double margin) {
  check_length(tree, as_leaf);
  check_length(tree, kept);
  return to_numpy(cheaper_as_leaf(tree, span_of(as_leaf), span_of(kept), margin));
}

nb::tuple losses_of_numbers(const Tree& tree, Nodes nodes, Doubles truth, Doubles weights, const std::string& kind) {
  if (tree.n_classes > 0) throw BadInput("a tree of numbers was expected");
  if (truth.shape(0) != nodes.shape(0) || weights.shape(0) != nodes.shape(0))
    throw BadInput("arrays of different lengths");
  check_nodes(tree, nodes);
  HeldOutLosses losses = held_out_losses(tree, {span_of(nodes), span_of(truth), span_of(weights)}, kind);
  return nb::make_tuple(to_numpy(std::move(losses.as_leaf)), to_numpy(std::move(losses.ends)));
}

}  // namespace

void bind_prune(nb::module_& m) {
  m.def("leaves_of_table", &leaves_of_table, nb::arg("tree"), nb::arg("table"), nb::arg("rows"));
  m.def("leaf_shares_of_table", &leaf_shares_of_table, nb::arg("tree"), nb::arg("table"), nb::arg("rows"));
  m.def("path_loss", &losses_along_path, nb::arg("tree"), nb::arg("complexity"), nb::arg("prices"), nb::arg("leaves"),
        nb::arg("truth"), nb::arg("weights"), nb::arg("kind"), nb::arg("costs"));
  m.def("values_at_nodes", &values_of, nb::arg("tree"), nb::arg("table"), nb::arg("rows"), nb::arg("ends"),
        nb::arg("threads"));
  m.def("subtree_sums", &sums, nb::arg("tree"), nb::arg("values"));
  m.def("cheaper_as_leaf", &cheaper, nb::arg("tree"), nb::arg("as_leaf"), nb::arg("kept"), nb::arg("margin"));
  m.def("held_out_losses", &losses_of_numbers, nb::arg("tree"), nb::arg("nodes"), nb::arg("truth"), nb::arg("weights"),
        nb::arg("kind"));
}

// _core.prune_by_errors, _core.keep_rows and _core.prune_by_kept_rows: what C4.5 does after growing.

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

PessimisticError pessimism_of(const nb::dict& choices) {
  return {nb::cast<double>(choices["confidence"]), nb::cast<double>(choices["z"]), nb::cast<bool>(choices["as_j48"])};
}

nb::ndarray<nb::numpy, double> expected_errors(Doubles weight, Doubles errors, nb::dict choices) {
  if (weight.shape(0) != errors.shape(0)) throw BadInput("arrays of different lengths");
  const PessimisticError pessimistic = pessimism_of(choices);
  std::vector<double> expected(weight.shape(0));
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = pessimistic.of_leaf(weight.data()[i], errors.data()[i]);
  return to_numpy(std::move(expected));
}

Tree by_errors(const Tree& tree, const BoundTable& table, const BoundTarget& target, Rows rows, nb::dict choices) {
  check(tree, table, target);
  auto flag = [&](const char* name) { return nb::cast<bool>(choices[name]); };
  ErrorPruning how;
  how.collapse = flag("collapse"), how.prune = flag("prune"), how.raise = flag("raise_subtrees");
  how.first_answers = flag("first_answers"), how.pessimistic = pessimism_of(choices);
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
  m.def("expected_errors", &expected_errors, nb::arg("weight"), nb::arg("errors"), nb::arg("choices"));
  m.def("rows_that_count", &rows_that_count, nb::arg("target"));
  m.def("keep_rows", &kept_rows, nb::arg("target"), nb::arg("folds"));
  m.def("prune_by_kept_rows", &by_kept_rows, nb::arg("tree"), nb::arg("table"), nb::arg("target"), nb::arg("grown"),
        nb::arg("kept"));
}

}  // namespace tw
