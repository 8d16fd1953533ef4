// _core.find_leaves and friends: rows through stored trees.
#include <nanobind/stl/string.h>

#include <cstdlib>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "predict/class_shares.hpp"
#include "predict/find_leaves.hpp"

namespace tw {
namespace {

void check_columns(const Tree& tree, const Frame& frame) {
  if (frame.columns.size() != static_cast<std::size_t>(tree.n_columns))
    throw BadInput("a table with another number of columns than the tree");
}

nb::ndarray<nb::numpy, std::int32_t> leaves_of(const Tree& tree, const Frame& frame, int threads) {
  check_columns(tree, frame);
  std::vector<std::int32_t> leaves(frame.n_rows);
  {
    nb::gil_scoped_release release;
    Workers workers(frame.n_rows < 20'000 ? 1 : threads, signal_raised);
    find_leaves(tree, frame, leaves.data(), workers);
  }
  return to_numpy(std::move(leaves));
}

nb::tuple leaf_shares_of(const Tree& tree, const Frame& frame, int threads) {
  check_columns(tree, frame);
  LeafShares found;
  {
    nb::gil_scoped_release release;
    Workers workers(frame.n_rows < 5'000 ? 1 : threads, signal_raised);
    found = find_leaf_shares(tree, frame, workers);
  }
  return nb::make_tuple(to_numpy(std::move(found.start)), to_numpy(std::move(found.node)),
                        to_numpy(std::move(found.share)));
}

nb::ndarray<nb::numpy, double> equation_values_of(const Tree& tree, const Frame& frame, int threads) {
  check_columns(tree, frame);
  if (tree.equation_start.empty()) throw BadInput("the tree has no equations");
  std::vector<double> values(frame.n_rows);
  {
    nb::gil_scoped_release release;
    Workers workers(frame.n_rows < 5'000 ? 1 : threads, signal_raised);
    equation_values(tree, frame, values.data(), workers);
  }
  return to_numpy(std::move(values));
}

// f(tree, frame, threads) for a table given column by column, and for one given as a matrix.
template <auto f>
auto by_columns(const Tree& tree, std::size_t n_rows, nb::list columns, int threads) {
  std::vector<nb::object> kept;
  return f(tree, frame_of(n_rows, columns, kept), threads);
}
template <auto f>
auto by_matrix(const Tree& tree, AnyArray matrix, int threads) {
  return f(tree, frame_of_matrix(matrix), threads);
}

nb::ndarray<nb::numpy, double> shares_of(
    const Tree& tree, nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> nodes, int threads) {
  const std::size_t n = nodes.shape(0), n_classes = static_cast<std::size_t>(tree.n_classes);
  for (std::size_t i = 0; i < n; ++i)
    if (static_cast<std::size_t>(nodes.data()[i]) >= tree.size()) throw BadInput("a node number beyond the tree");
  auto* shares = static_cast<double*>(std::calloc(std::max<std::size_t>(1, n * n_classes), sizeof(double)));
  if (!shares) throw std::bad_alloc();
  nb::capsule owner(shares, [](void* p) noexcept { std::free(p); });
  {
    nb::gil_scoped_release release;
    Workers workers(n < 20'000 ? 1 : threads, signal_raised);
    class_shares(tree, {nodes.data(), n}, shares, workers);
  }
  return nb::ndarray<nb::numpy, double>(shares, {n, n_classes}, owner);
}

}  // namespace

void bind_predict(nb::module_& m) {
  m.def("find_leaves", &by_columns<leaves_of>, nb::arg("tree"), nb::arg("n_rows"), nb::arg("columns"),
        nb::arg("threads"));
  m.def("find_leaves_of_matrix", &by_matrix<leaves_of>, nb::arg("tree"), nb::arg("matrix"), nb::arg("threads"));
  m.def("find_leaf_shares", &by_columns<leaf_shares_of>, nb::arg("tree"), nb::arg("n_rows"), nb::arg("columns"),
        nb::arg("threads"));
  m.def("find_leaf_shares_of_matrix", &by_matrix<leaf_shares_of>, nb::arg("tree"), nb::arg("matrix"),
        nb::arg("threads"));
  m.def("equation_values", &by_columns<equation_values_of>, nb::arg("tree"), nb::arg("n_rows"), nb::arg("columns"),
        nb::arg("threads"));
  m.def("equation_values_of_matrix", &by_matrix<equation_values_of>, nb::arg("tree"), nb::arg("matrix"),
        nb::arg("threads"));
  m.def("class_shares", &shares_of, nb::arg("tree"), nb::arg("nodes"), nb::arg("threads"));
}

}  // namespace tw
