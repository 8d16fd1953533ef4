// _core.TargetUnits, _core.CountedGrowth, _core.count_cells: trees whose rows are elsewhere.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "grow/counted/count_cells.hpp"
#include "grow/counted/counted_growth.hpp"

namespace tw {
namespace {

using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LongTable = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

TargetUnits units_of(const nb::dict& given) {
  TargetFacts facts;
  facts.n_rows = nb::cast<std::size_t>(given["n_rows"]);
  facts.n_counted = nb::cast<std::size_t>(given["n_counted"]);
  facts.all_one = nb::cast<bool>(given["all_one"]);
  facts.total = nb::cast<double>(given["total"]);
  facts.largest = nb::cast<double>(given["largest"]);
  facts.whole_shift = nb::cast<int>(given["whole_shift"]);
  facts.has_numbers = nb::cast<bool>(given["has_numbers"]);
  facts.rates = nb::cast<bool>(given["rates"]);
  facts.low = nb::cast<double>(given["low"]);
  facts.high = nb::cast<double>(given["high"]);
  return choose_units(facts);
}

BoundTarget* class_target_in(const TargetUnits& units, Ints classes, std::uint32_t n_classes, nb::object weights) {
  auto bound = std::make_unique<BoundTarget>();
  const auto given = span_or_none(weights);
  bound->target = make_class_target_in(units, classes.data(), classes.shape(0), n_classes, given.data());
  return bound.release();
}

BoundTarget* number_target_in(const TargetUnits& units, Doubles y, nb::object weights) {
  auto bound = std::make_unique<BoundTarget>();
  bound->kept.push_back(nb::cast(y));
  bound->target = make_number_target_in(units, y.data(), y.shape(0), span_or_none(weights).data());
  return bound.release();
}

// The integers of each row, for those who count by other means.
nb::dict integers_of(const BoundTarget& bound) {
  nb::dict arrays;
  arrays["rows"] = to_numpy(std::vector<std::uint32_t>(bound.target.rows));
  arrays["weight"] = to_numpy(std::vector<std::int64_t>(bound.target.weight));
  arrays["value"] = to_numpy(std::vector<std::int64_t>(bound.target.value));
  arrays["level"] = to_numpy(std::vector<std::int64_t>(bound.target.level));
  return arrays;
}

CountedGrowth* make_growth(nb::list columns, const TargetUnits& units, std::uint32_t n_classes, nb::dict recipe) {
  std::vector<CountedColumn> kinds;
  for (nb::handle item : columns) {
    const auto entry = nb::cast<nb::tuple>(item);
    const auto kind = nb::cast<std::string>(entry[0]);
    kinds.push_back({kind == "numeric"   ? Kind::numeric
                     : kind == "ordinal" ? Kind::ordinal
                                         : Kind::nominal,
                     nb::cast<std::uint32_t>(entry[1])});
  }
  const double none = 0;
  const std::int32_t no_class = 0;
  Target target = n_classes ? make_class_target_in(units, &no_class, 0, n_classes, &none)
                            : make_number_target_in(units, &none, 0, &none);
  target.numbers = nullptr;
  return new CountedGrowth(std::move(kinds), std::move(target), recipe_of(recipe));
}

// tables: for each column (sums, low or None, high or None).
std::vector<CellTable> cell_tables(const nb::list& tables) {
  std::vector<CellTable> cells;
  for (nb::handle item : tables) {
    const auto entry = nb::cast<nb::tuple>(item);
    const auto sums = nb::cast<LongTable>(entry[0]);
    CellTable table{sums.shape(0), sums.shape(1), sums.data(), nullptr, nullptr};
    if (!entry[1].is_none()) {
      const auto low = nb::cast<Doubles>(entry[1]), high = nb::cast<Doubles>(entry[2]);
      if (low.shape(0) != table.n_cells || high.shape(0) != table.n_cells) throw BadInput("cells without values");
      table.low = low.data(), table.high = high.data();
    }
    cells.push_back(table);
  }
  return cells;
}

nb::list open_cells(CountedGrowth& growth, std::uint32_t node, nb::list tables) {
  nb::list open;
  for (const OpenCells& one : growth.open_cells(node, cell_tables(tables)))
    open.append(nb::make_tuple(one.column, one.cells));
  return open;
}

void describe(CountedGrowth& growth, std::uint32_t node, nb::tuple facts, Longs levels, Longs weights, Longs rows) {
  NumberFacts known;
  known.low = nb::cast<std::int64_t>(facts[0]), known.high = nb::cast<std::int64_t>(facts[1]);
  known.lowest = nb::cast<double>(facts[2]);
  known.squares = static_cast<__int128>(nb::cast<std::int64_t>(facts[3])) << 64 | nb::cast<std::uint64_t>(facts[4]);
  std::vector<EqualRows> equal;
  for (std::size_t i = 0; i < levels.shape(0); ++i)
    equal.push_back({levels.data()[i], weights.data()[i], rows.data()[i]});
  growth.describe(node, known, equal);
}

void grow_fetched(CountedGrowth& growth, std::uint32_t node, const BoundTable& table, const BoundTarget& target,
                  Rows rows, int threads) {
  const auto chosen = span_of(rows);
  nb::gil_scoped_release release;
  Workers workers(chosen.size() * table.table.columns.size() < 50'000 ? 1 : threads, signal_raised);
  growth.grow_fetched(node, table.table, target.target, chosen, workers);
}

nb::tuple node_facts(const CountedGrowth& growth, std::uint32_t node) {
  const GrowingNode& s = growth.node(node);
  return nb::make_tuple(s.rows, s.depth, s.first_child, s.n_children, growth.may_be_split(node));
}

nb::tuple tree_so_far(const CountedGrowth& growth) {
  std::vector<std::uint32_t> order;
  Tree tree = growth.tree(&order);
  return nb::make_tuple(std::move(tree), to_numpy(std::move(order)));
}

nb::tuple counted_cells(Ints node, Ints cell, nb::object values, const BoundTarget& target, std::size_t n_nodes,
                        std::size_t n_cells) {
  const auto numbers = span_or_none(values);
  CountedCells counted;
  {
    nb::gil_scoped_release release;
    counted = count_cells(node.data(), cell.data(), numbers.data(), target.target, n_nodes, n_cells);
  }
  return nb::make_tuple(to_numpy(std::move(counted.sums)), to_numpy(std::move(counted.low)),
                        to_numpy(std::move(counted.high)));
}

nb::tuple counted_nodes(Ints node, const BoundTarget& target, std::size_t n_nodes) {
  CountedNodes counted = count_nodes(node.data(), target.target, n_nodes);
  return nb::make_tuple(to_numpy(std::move(counted.sums)), to_numpy(std::move(counted.low)),
                        to_numpy(std::move(counted.high)), to_numpy(std::move(counted.lowest)),
                        to_numpy(std::move(counted.squares_high)), to_numpy(std::move(counted.squares_low)));
}

}  // namespace

void bind_counted(nb::module_& m) {
  nb::class_<TargetUnits>(m, "TargetUnits", "How weights and numbers become integers, by facts about all rows.")
      .def(nb::new_(&units_of), nb::arg("facts"))
      .def_ro("unit_weights", &TargetUnits::unit_weights)
      .def_ro("exact_weights", &TargetUnits::exact_weights)
      .def_ro("weight_shift", &TargetUnits::weight_shift)
      .def_ro("level_shift", &TargetUnits::level_shift)
      .def_ro("value_shift", &TargetUnits::value_shift)
      .def_ro("offset", &TargetUnits::offset)
      .def("classes", &class_target_in, nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights").none(),
           nb::rv_policy::take_ownership)
      .def("numbers", &number_target_in, nb::arg("y"), nb::arg("weights").none(), nb::rv_policy::take_ownership);
  nb::class_<CountedGrowth>(m, "CountedGrowth", "A tree whose rows are elsewhere: counts in, splits out.")
      .def(nb::new_(&make_growth), nb::arg("columns"), nb::arg("units"), nb::arg("n_classes"), nb::arg("recipe"))
      .def(
          "set_root", [](CountedGrowth& growth, Longs sums) { growth.set_root(span_of(sums)); }, nb::arg("sums"))
      .def("describe", &describe, nb::arg("node"), nb::arg("facts"), nb::arg("levels"), nb::arg("weights"),
           nb::arg("rows"))
      .def("needs_equal_rows", &CountedGrowth::needs_equal_rows)
      .def("node", &node_facts, nb::arg("node"), "Rows, depth, first child, number of children, whether it may split.")
      .def("open_cells", &open_cells, nb::arg("node"), nb::arg("tables"))
      .def(
          "split",
          [](CountedGrowth& growth, std::uint32_t node, nb::list tables) {
            return growth.split(node, cell_tables(tables));
          },
          nb::arg("node"), nb::arg("tables"))
      .def("keeps_split", &CountedGrowth::keeps_split, nb::arg("node"))
      .def("grow_fetched", &grow_fetched, nb::arg("node"), nb::arg("table"), nb::arg("target"), nb::arg("rows"),
           nb::arg("threads"))
      .def("tree", &tree_so_far, "The tree so far, and the node that stands at each of its places.")
      .def("finish", &CountedGrowth::finish);
  m.def("target_integers", &integers_of, nb::arg("target"));
  m.def("count_cells", &counted_cells, nb::arg("node"), nb::arg("cell"), nb::arg("values").none(), nb::arg("target"),
        nb::arg("n_nodes"), nb::arg("n_cells"));
  m.def("count_nodes", &counted_nodes, nb::arg("node"), nb::arg("target"), nb::arg("n_nodes"));
}

}  // namespace tw
