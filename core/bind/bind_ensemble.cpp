// _core.Ensemble: many small trees as a dict of arrays, and back; and _core.Progress.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>  // for string

#include "base/progress.hpp"
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "ensemble/column_worth.hpp"
#include "ensemble/ensemble.hpp"
#include "ensemble/expand_tree.hpp"
#include "ensemble/joined_trees.hpp"
#include "ensemble/prepared_trees.hpp"

namespace tw {
namespace {

template <class T>
void put(nb::dict& d, const char* name, std::vector<T> values) {
  d[name] = nb::cast(to_numpy(std::move(values)));
}

nb::dict arrays(const Ensemble& ensemble) {
  JoinedTrees all = join(ensemble);
  nb::dict d;
  put(d, "tree_nodes", std::move(all.tree_nodes));
  put(d, "test", std::move(all.test));
  put(d, "column", std::move(all.column));
  put(d, "threshold", std::move(all.threshold));
  put(d, "gain", std::move(all.gain));
  put(d, "n_levels", std::move(all.n_levels));
  put(d, "level", std::move(all.level));
  put(d, "level_branch", std::move(all.level_branch));
  put(d, "n_rows", std::move(all.n_rows));
  if (!all.weight.empty()) put(d, "weight", std::move(all.weight));
  if (!all.impurity.empty()) put(d, "impurity", std::move(all.impurity));
  if (ensemble.n_classes == 0) {
    put(d, "value", std::move(all.value));
  } else {
    put(d, "n_counts", std::move(all.n_counts));
    put(d, "count_class", std::move(all.count_class));
    put(d, "count_weight", std::move(all.count_weight));
  }
  return d;
}

template <class T>
std::vector<T> take(const nb::dict& d, const char* name, std::size_t& found, bool optional = false) {
  if (!d.contains(name)) {
    if (optional) return {};
    throw BadInput(std::string("array '") + name + "' is absent");
  }
  nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
  if (!nb::try_cast(d[name], array, false))  // as it is: an array of another type is a sign of a damaged file
    throw BadInput(std::string("array '") + name + "' is not a one-dimensional array of the right type");
  ++found;
  return {array.data(), array.data() + array.shape(0)};
}

void from_arrays(Ensemble* self, nb::dict d, std::int32_t n_columns, std::int32_t n_classes) {
  JoinedTrees all;
  std::size_t found = 0;
  all.tree_nodes = take<std::uint32_t>(d, "tree_nodes", found);
  all.test = take<std::uint8_t>(d, "test", found);
  all.column = take<std::int32_t>(d, "column", found);
  all.threshold = take<double>(d, "threshold", found);
  all.gain = take<double>(d, "gain", found);
  all.n_levels = take<std::uint32_t>(d, "n_levels", found);
  all.level = take<std::uint32_t>(d, "level", found);
  all.level_branch = take<std::uint8_t>(d, "level_branch", found);
  all.n_rows = take<std::uint32_t>(d, "n_rows", found);
  all.weight = take<double>(d, "weight", found, true);
  all.impurity = take<double>(d, "impurity", found, true);
  if (n_classes == 0) {
    all.value = take<double>(d, "value", found);
  } else {
    all.n_counts = take<std::uint32_t>(d, "n_counts", found);
    all.count_class = take<std::uint16_t>(d, "count_class", found);
    all.count_weight = take<double>(d, "count_weight", found);
  }
  if (found != d.size()) throw BadInput("there are arrays that an ensemble does not have");
  Ensemble ensemble = part(all, n_columns, n_classes);
  check_ensemble(ensemble);
  new (self) Ensemble(std::move(ensemble));
}

void check_same(const Ensemble& a, const Ensemble& b) {
  if (a.n_columns != b.n_columns || a.n_classes != b.n_classes)
    throw BadInput("the two ensembles have other numbers of columns or classes");
}

Ensemble extended(const Ensemble& ensemble, const Ensemble& more) {
  check_same(ensemble, more);
  Ensemble both(ensemble.n_columns, ensemble.n_classes);
  both.trees = ensemble.trees;
  both.trees.insert(both.trees.end(), more.trees.begin(), more.trees.end());
  return both;
}

// The mean of several boosters as one: the first round of each, then the second of each, and so on, so that the sums of
// the first trees are means too. per_round: trees of a round.
Ensemble averaged(const std::vector<const Ensemble*>& members, std::size_t per_round) {
  if (members.empty() || per_round == 0) throw BadInput("there is nothing to average");
  Ensemble mean(members[0]->n_columns, members[0]->n_classes);
  std::size_t longest = 0;
  for (const Ensemble* member : members) {
    check_same(mean, *member);
    longest = std::max(longest, member->trees.size());
  }
  for (std::size_t begin = 0; begin < longest; begin += per_round)
    for (const Ensemble* member : members)
      for (std::size_t i = begin; i < std::min(begin + per_round, member->trees.size()); ++i)
        mean.trees.push_back(member->trees[i]);
  for (SmallTree& tree : mean.trees)
    for (double& value : tree.value) value /= static_cast<double>(members.size());
  return mean;
}

std::size_t place_of(const Ensemble& ensemble, std::int64_t i) {
  const auto n = static_cast<std::int64_t>(ensemble.trees.size());
  if (i < -n || i >= n) throw nb::index_error("there is no such tree");
  return static_cast<std::size_t>(i < 0 ? i + n : i);
}

Ensemble first_trees(const Ensemble& ensemble, std::size_t n) {
  if (n > ensemble.trees.size()) throw BadInput("there are fewer trees than that");
  Ensemble fewer(ensemble.n_columns, ensemble.n_classes);
  fewer.trees.assign(ensemble.trees.begin(), ensemble.trees.begin() + static_cast<std::ptrdiff_t>(n));
  return fewer;
}

Ensemble from_trees(nb::list trees, std::int32_t n_columns, std::int32_t n_classes) {
  Ensemble ensemble(n_columns, n_classes);
  for (nb::handle item : trees) {
    const Tree& tree = nb::cast<const Tree&>(item);
    if (tree.n_columns != n_columns || tree.n_classes != n_classes)
      throw BadInput("the trees have other numbers of columns or classes");
    ensemble.trees.push_back(shrink(tree));
  }
  return ensemble;
}

void bind_progress(nb::module_& m) {
  nb::class_<Progress>(m, "Progress", "How far a long fit is: written by the core, read by whoever draws a bar.")
      .def(nb::init<>())
      .def_prop_rw(
          "done", [](const Progress& p) { return p.done.load(); }, [](Progress& p, std::int64_t n) { p.done = n; })
      .def_prop_rw(
          "total", [](const Progress& p) { return p.total.load(); }, [](Progress& p, std::int64_t n) { p.total = n; })
      .def_prop_rw(
          "score", [](const Progress& p) { return p.score.load(); }, [](Progress& p, double x) { p.score = x; });
}

}  // namespace

void bind_ensemble(nb::module_& m) {
  bind_progress(m);
  nb::class_<Ensemble>(m, "Ensemble", "Many small trees: flat arrays, checked once, never changed.")
      .def("__init__", &from_arrays, nb::arg("arrays"), nb::arg("n_columns"), nb::arg("n_classes"))
      .def_static("from_trees", &from_trees, nb::arg("trees"), nb::arg("n_columns"), nb::arg("n_classes"))
      .def_static("averaged", &averaged, nb::arg("members"), nb::arg("per_round"))
      .def("arrays", &arrays)
      .def_ro("n_columns", &Ensemble::n_columns)
      .def_ro("n_classes", &Ensemble::n_classes)
      .def_prop_ro("n_trees", [](const Ensemble& e) { return e.trees.size(); })
      .def_prop_ro("n_nodes", &Ensemble::n_nodes)
      .def("coded_bytes", [](const Ensemble& e) { return e.prepared().bytes(); })
      .def(
          "column_worth", [](const Ensemble& e, bool same) { return to_numpy(column_worth(e, same)); },
          nb::arg("each_tree_counts_same"))
      .def("extended", &extended, nb::arg("more"))
      .def("first", &first_trees, nb::arg("n"))
      .def(
          "tree",
          [](const Ensemble& e, std::int64_t i) { return expand(e.trees[place_of(e, i)], e.n_columns, e.n_classes); },
          nb::arg("i"))
      .def("sizes", [](const Ensemble& e) {
        std::vector<std::int64_t> leaves, depths;
        for (const SmallTree& tree : e.trees)
          leaves.push_back(static_cast<std::int64_t>(tree.n_leaves())), depths.push_back(depth_of(tree));
        return nb::make_tuple(to_numpy(std::move(leaves)), to_numpy(std::move(depths)));
      });
}

}  // namespace tw
