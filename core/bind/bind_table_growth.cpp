// _core.TableGrowth, _core.bins_of: trees of splitters that read tables, whose rows are elsewhere.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "grow/counted/table_growth.hpp"
#include "grow/tables/chaid/chaid_splitter.hpp"

namespace tw {
namespace {

using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LongTable = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Kind kind_named(const std::string& name) {
  return name == "numeric" ? Kind::numeric : name == "ordinal" ? Kind::ordinal : Kind::nominal;
}

// columns: kind, number of codes, values of the codes or None, whether any row has no value.
TableGrowth* make_growth(nb::list columns, const TargetUnits& units, std::uint32_t n_classes, nb::dict recipe) {
  std::vector<RankedColumn> ranked;
  for (nb::handle item : columns) {
    const auto entry = nb::cast<nb::tuple>(item);
    RankedColumn column;
    column.kind = kind_named(nb::cast<std::string>(entry[0]));
    column.n_codes = nb::cast<std::uint32_t>(entry[1]);
    if (!entry[2].is_none()) {
      const auto values = nb::cast<Doubles>(entry[2]);
      if (values.shape(0) != column.n_codes) throw BadInput("a column with other codes than values");
      column.values.assign(values.data(), values.data() + values.shape(0));
    }
    column.has_missing = nb::cast<bool>(entry[3]);
    ranked.push_back(std::move(column));
  }
  const double none = 0;
  const std::int32_t no_class = 0;
  return new TableGrowth(std::move(ranked), make_class_target_in(units, &no_class, 0, n_classes, &none),
                         recipe_of(recipe));
}

std::vector<CellTable> cell_tables(const nb::list& tables) {
  std::vector<CellTable> cells;
  for (nb::handle item : tables) {
    const auto sums = nb::cast<LongTable>(item);
    cells.push_back({sums.shape(0), sums.shape(1), sums.data(), nullptr, nullptr});
  }
  return cells;
}

}  // namespace

void bind_table_growth(nb::module_& m) {
  nb::class_<TableGrowth>(m, "TableGrowth", "A tree of a splitter whose rows are elsewhere: counts in, splits out.")
      .def(nb::new_(&make_growth), nb::arg("columns"), nb::arg("units"), nb::arg("n_classes"), nb::arg("recipe"))
      .def(
          "set_root",
          [](TableGrowth& growth, Longs sums) {
            Workers workers(1, signal_raised);
            growth.set_root(span_of(sums), workers);
          },
          nb::arg("sums"))
      .def("open_nodes", &TableGrowth::open_nodes, "The nodes that wait for their tables.")
      .def(
          "node",
          [](const TableGrowth& growth, std::uint32_t at) {
            const GrownNode& node = growth.node(at);
            return nb::make_tuple(node.sums.rows, node.first_child, node.split ? node.split->n_branches : 0);
          },
          nb::arg("node"), "Rows, first child, number of children.")
      .def(
          "split",
          [](TableGrowth& growth, std::uint32_t node, nb::list tables) {
            const std::vector<CellTable> cells = cell_tables(tables);
            nb::gil_scoped_release release;
            Workers workers(1, signal_raised);
            growth.split(node, cells, workers);
          },
          nb::arg("node"), nb::arg("tables"))
      .def(
          "tree",
          [](const TableGrowth& growth) {
            std::vector<std::uint32_t> order;
            Tree tree = growth.tree(&order);
            return nb::make_tuple(std::move(tree), to_numpy(std::move(order)));
          },
          "The tree so far, and the node that stands at each of its places.")
      .def("finish", &TableGrowth::finish);
  m.def(
      "bins_of",
      [](Doubles values, Longs weight, int bins) {
        if (values.shape(0) != weight.shape(0)) throw BadInput("numbers and weights differ in length");
        return to_numpy(chaid::bins_of(span_of(values), span_of(weight), bins).uppers);
      },
      nb::arg("values"), nb::arg("weight"), nb::arg("bins"), "The largest number of each bin of CHAID.");
}

}  // namespace tw
