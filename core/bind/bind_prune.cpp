// _core.leaves_of_table and _core.path_loss: what cross-validated pruning asks of the core.
#include <nanobind/stl/string.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_table.hpp"
#include "predict/walk.hpp"
#include "prune/path_loss.hpp"

namespace tw {
namespace {

using Rows = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Nodes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.shape(0));
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

double loss_of(const std::string& kind, double truth, double answer) {
  if (kind == "classes") return truth != answer;
  if (kind == "absolute_error") return std::abs(truth - answer);
  if (kind == "poisson") {
    const double rate = std::max(answer, 1e-12);
    return (truth > 0 ? truth * std::log(truth / rate) : 0) - truth + rate;
  }
  return (truth - answer) * (truth - answer);
}

nb::tuple held_out_loss(const Tree& tree, Doubles complexity, Doubles prices, Nodes leaves, Doubles truth,
                        Doubles weights, const std::string& kind) {
  if (complexity.shape(0) != tree.size() || truth.shape(0) != leaves.shape(0) || weights.shape(0) != leaves.shape(0))
    throw BadInput("arrays of different lengths");
  auto loss = [&](std::size_t i, std::int32_t node) {
    const double answer = tree.n_classes > 0 ? tree.prediction[node] : tree.value[node];
    return weights.data()[i] * loss_of(kind, truth.data()[i], answer);
  };
  PathLoss result = path_loss(tree, span_of(complexity), span_of(prices), span_of(leaves), loss);
  return nb::make_tuple(to_numpy(std::move(result.sum)), to_numpy(std::move(result.squares)));
}

}  // namespace

void bind_prune(nb::module_& m) {
  m.def("leaves_of_table", &leaves_of_table, nb::arg("tree"), nb::arg("table"), nb::arg("rows"));
  m.def("path_loss", &held_out_loss, nb::arg("tree"), nb::arg("complexity"), nb::arg("prices"), nb::arg("leaves"),
        nb::arg("truth"), nb::arg("weights"), nb::arg("kind"));
}

}  // namespace tw
