// _core.Tree: the stored tree as a dict of arrays, and back.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>  // for sort

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "prune/cost_complexity.hpp"
#include "prune/growth_by_price.hpp"
#include "tree/tree.hpp"

namespace tw {
namespace {

template <class T>
nb::object array_of(const std::vector<T>& vector) {
  return nb::cast(to_numpy(std::vector<T>(vector)));
}

nb::dict arrays_of_tree(const Tree& t) {
  nb::dict d;
  d["n_children"] = array_of(t.n_children);
  d["kind"] = array_of(t.kind);
  d["column"] = array_of(t.column);
  d["threshold"] = array_of(t.threshold);
  d["missing_branch"] = array_of(t.missing_branch);
  d["level_start"] = array_of(t.level_start);
  d["level"] = array_of(t.level);
  d["level_branch"] = array_of(t.level_branch);
  d["n_rows"] = array_of(t.n_rows);
  d["weight"] = array_of(t.weight);
  d["impurity"] = array_of(t.impurity);
  d["gain"] = array_of(t.gain);
  if (t.n_classes > 0) {
    d["count_start"] = array_of(t.count_start);
    d["count_class"] = array_of(t.count_class);
    d["count_weight"] = array_of(t.count_weight);
    d["prediction"] = array_of(t.prediction);
  } else {
    d["value"] = array_of(t.value);
  }
  for (const auto& [name, numbers] : t.extras) d[name.c_str()] = array_of(numbers);
  for (const NodeList& list : t.lists) {
    d[(list.name + "_start").c_str()] = array_of(list.start);
    for (const auto& [field, numbers] : list.fields) d[(list.name + "_" + field).c_str()] = array_of(numbers);
  }
  return d;
}

template <class T>
std::vector<T> take(nb::dict& d, const char* name) {
  if (!d.contains(name)) throw BadInput(std::string("array '") + name + "' is absent");
  nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
  if (!nb::try_cast(d[name], array, false))  // as it is: an array of another type is a sign of a damaged file
    throw BadInput(std::string("array '") + name + "' is not a one-dimensional array of the right type");
  nb::del(d[name]);
  return {array.data(), array.data() + array.shape(0)};
}

std::vector<std::string> names_in(const nb::dict& d) {
  std::vector<std::string> names;
  for (auto [key, value] : d) names.push_back(nb::cast<std::string>(key));
  return names;
}

// NAME_start and the NAME_… beside it are a list; longer names first, so that "surrogate" leaves "surrogate_level".
std::vector<NodeList> take_lists(nb::dict& d) {
  const std::string ending = "_start";
  std::vector<std::string> starts;
  for (const std::string& name : names_in(d))
    if (name.size() > ending.size() && name.ends_with(ending)) starts.push_back(name);
  std::sort(starts.begin(), starts.end(),
            [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
  std::vector<NodeList> lists;
  for (const std::string& start : starts) {
    NodeList list;
    list.name = start.substr(0, start.size() - ending.size());
    list.start = take<std::int64_t>(d, start.c_str());
    for (const std::string& name : names_in(d))
      if (name.starts_with(list.name + "_"))
        list.fields.emplace_back(name.substr(list.name.size() + 1), take<double>(d, name.c_str()));
    if (list.fields.empty()) throw BadInput("array '" + start + "' has no fields beside it");
    lists.push_back(std::move(list));
  }
  return lists;
}

void tree_from_arrays(Tree* self, nb::dict given, std::int32_t n_columns, std::int32_t n_classes) {
  nb::dict d;
  for (auto [key, value] : given) d[key] = value;
  Tree t;
  t.n_columns = n_columns, t.n_classes = n_classes;
  t.n_children = take<std::uint16_t>(d, "n_children");
  t.kind = take<std::uint8_t>(d, "kind");
  t.column = take<std::int32_t>(d, "column");
  t.threshold = take<double>(d, "threshold");
  t.missing_branch = take<std::int32_t>(d, "missing_branch");
  t.level_start = take<std::int64_t>(d, "level_start");
  t.level = take<std::uint32_t>(d, "level");
  t.level_branch = take<std::uint16_t>(d, "level_branch");
  t.n_rows = take<std::int64_t>(d, "n_rows");
  t.weight = take<double>(d, "weight");
  t.impurity = take<double>(d, "impurity");
  t.gain = take<double>(d, "gain");
  if (n_classes > 0) {
    t.count_start = take<std::int64_t>(d, "count_start");
    t.count_class = take<std::uint32_t>(d, "count_class");
    t.count_weight = take<double>(d, "count_weight");
    t.prediction = take<std::int32_t>(d, "prediction");
  } else {
    t.value = take<double>(d, "value");
  }
  t.lists = take_lists(d);
  for (const auto& name : names_in(d)) t.extras.emplace_back(name, take<double>(d, name.c_str()));
  t.find_shape();
  t.read_lists();
  t.check();
  new (self) Tree(std::move(t));
}

std::vector<double> risks_of(const AnyArray& risk, const Tree& t) {
  if (risk.ndim() != 1 || risk.shape(0) != t.size() || number_type(risk.dtype()) != NumberType::f64)
    throw BadInput("the risks must be one number a node");
  const Values values = borrow(risk);
  std::vector<double> result(t.size());
  for (std::size_t i = 0; i < t.size(); ++i) result[i] = values.at(i);
  return result;
}

}  // namespace

void bind_tree(nb::module_& m) {
  nb::class_<Tree>(m, "Tree", "A stored tree: flat arrays, checked once, never changed.")
      .def("__init__", &tree_from_arrays, nb::arg("arrays"), nb::arg("n_columns"), nb::arg("n_classes"))
      .def("arrays", &arrays_of_tree)
      .def_prop_ro("n_nodes", [](const Tree& t) { return t.size(); })
      .def_ro("n_columns", &Tree::n_columns)
      .def_ro("n_classes", &Tree::n_classes)
      .def_prop_ro("spreads", &Tree::spreads)
      .def_prop_ro("has_equations", [](const Tree& t) { return !t.equation_start.empty(); })
      .def_prop_ro("children_start", [](const Tree& t) { return array_of(t.children_start); })
      .def_prop_ro("children", [](const Tree& t) { return array_of(t.children); })
      .def_prop_ro("parent", [](const Tree& t) { return array_of(t.parent); })
      .def_prop_ro("depth", [](const Tree& t) { return array_of(t.depth); })
      .def(
          "cut_at",
          [](const Tree& t, nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> leaf) {
            if (leaf.shape(0) != t.size()) throw BadInput("one mark a node was expected");
            return cut_at(t, {leaf.data(), leaf.data() + leaf.shape(0)});
          },
          nb::arg("becomes_leaf"))
      .def(
          "complexity",
          [](const Tree& t, const AnyArray& risk) { return to_numpy(node_complexity(t, risks_of(risk, t))); },
          nb::arg("risk"))
      .def(
          "leaves_by_price",
          [](const Tree& t, const AnyArray& risk, const AnyArray& mean, double price) {
            return to_numpy(leaves_by_price(t, risks_of(risk, t), risks_of(mean, t), price));
          },
          nb::arg("risk"), nb::arg("mean"), nb::arg("price"))
      .def(
          "prune_path",
          [](const Tree& t, const AnyArray& risk) {
            PrunePath path = prune_path(t, risks_of(risk, t));
            return nb::make_tuple(to_numpy(std::move(path.alphas)), to_numpy(std::move(path.risks)),
                                  to_numpy(std::move(path.leaves)));
          },
          nb::arg("risk"));
}

}  // namespace tw
