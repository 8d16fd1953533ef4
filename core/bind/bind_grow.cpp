// _core.Table, _core.Target, _core.grow.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "bind/python_peers.hpp"
#include "encode/encode_among_peers.hpp"
#include "encode/encode_columns.hpp"
#include "grow/grow_tree.hpp"
#include "grow/several/grow_several.hpp"

namespace tw {
namespace {

constexpr std::size_t kBucketSample = 4096;

BoundTable* make_table(std::size_t n_rows, nb::list columns, int threads, std::size_t sample, nb::object peers) {
  if (n_rows > 0xfffffff0ull) throw BadInput("a table with more than 4,294,967,280 rows");
  auto* bound = new BoundTable;
  std::unique_ptr<BoundTable> guard(bound);
  bound->table.n_rows = n_rows;
  bound->table.columns.resize(columns.size());
  std::vector<Values> numbers;
  std::vector<std::size_t> number_columns, level_columns;
  struct Levels {
    Values codes;
    int base;
    std::uint32_t n;
    bool ordered;
  };
  std::vector<Levels> levels;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    nb::tuple entry = nb::cast<nb::tuple>(columns[c]);
    bound->kept.push_back(entry);
    if (nb::cast<std::string>(entry[0]) == "numeric") {
      Values values = borrow(nb::cast<AnyArray>(entry[1]));
      if (!entry[2].is_none()) values.missing = static_cast<const std::uint8_t*>(nb::cast<AnyArray>(entry[2]).data());
      numbers.push_back(values);
      number_columns.push_back(c);
    } else {
      const int base = entry.size() > 3 ? nb::cast<int>(entry[3]) : 0;
      levels.push_back({borrow(nb::cast<AnyArray>(entry[1])), base, nb::cast<std::uint32_t>(entry[2]),
                        nb::cast<std::string>(entry[0]) == "ordinal"});
      level_columns.push_back(c);
    }
  }
  PythonPeers others(peers);
  nb::gil_scoped_release release;
  Workers workers(n_rows * columns.size() < 50'000 ? 1 : threads, signal_raised);
  auto encoded = others.any() ? encode_numbers_among(numbers, n_rows, workers, others)
                              : encode_numbers(numbers, n_rows, sample, workers);
  for (std::size_t i = 0; i < encoded.size(); ++i) bound->table.columns[number_columns[i]] = std::move(encoded[i]);
  workers.run(levels.size(), [&](std::size_t i, int) {
    bound->table.columns[level_columns[i]] =
        encode_levels(levels[i].codes, levels[i].base, n_rows, levels[i].n, levels[i].ordered);
  });
  return guard.release();
}

// All columns of one matrix.
BoundTable* make_table_from_matrix(AnyArray matrix, int threads, std::size_t sample) {
  if (matrix.ndim() != 2) throw BadInput("a matrix was expected");
  if (matrix.shape(0) > 0xfffffff0ull) throw BadInput("a table with more than 4,294,967,280 rows");
  auto bound = std::make_unique<BoundTable>();
  bound->table.n_rows = matrix.shape(0);
  bound->kept.push_back(nb::cast(matrix));
  std::vector<Values> numbers;
  for (std::size_t c = 0; c < matrix.shape(1); ++c) numbers.push_back(borrow(matrix, c));
  nb::gil_scoped_release release;
  Workers workers(matrix.shape(0) * matrix.shape(1) < 50'000 ? 1 : threads, signal_raised);
  bound->table.columns = encode_numbers(numbers, bound->table.n_rows, sample, workers);
  return bound.release();
}

nb::ndarray<nb::numpy, std::uint32_t> empty_rows(const BoundTable& bound) {
  std::vector<std::uint32_t> empty;
  for (std::uint32_t row = 0; row < bound.table.n_rows; ++row) {
    bool known = false;
    for (const auto& column : bound.table.columns) known = known || !column.is_missing(row);
    if (!known) empty.push_back(row);
  }
  return to_numpy(std::move(empty));
}

// Some of the columns, in this order; the user's numbers are borrowed from the same place.
BoundTable* with_columns(const BoundTable& bound, const std::vector<std::uint32_t>& chosen) {
  auto part = std::make_unique<BoundTable>();
  part->table.n_rows = bound.table.n_rows;
  part->kept = bound.kept;
  for (const std::uint32_t column : chosen) {
    if (column >= bound.table.columns.size()) throw BadInput("a column number beyond the table");
    part->table.columns.push_back(bound.table.columns[column]);
  }
  return part.release();
}

using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

const double* weights_or_null(nb::object weights) {
  return weights.is_none() ? nullptr : nb::cast<Doubles>(weights).data();
}

BoundTarget* class_target(Ints classes, std::uint32_t n_classes, nb::object weights, nb::object case_weights) {
  auto bound = std::make_unique<BoundTarget>();
  bound->target = make_class_target(classes.data(), classes.shape(0), n_classes, weights_or_null(weights));
  if (!case_weights.is_none()) set_case_weights(bound->target, classes.shape(0), weights_or_null(case_weights));
  return bound.release();
}

BoundTarget* number_target(Doubles y, nb::object weights, bool rates, nb::object case_weights) {
  auto bound = std::make_unique<BoundTarget>();
  bound->kept.push_back(nb::cast(y));
  bound->target = make_number_target(y.data(), y.shape(0), weights_or_null(weights), rates);
  if (!case_weights.is_none()) set_case_weights(bound->target, y.shape(0), weights_or_null(case_weights));
  return bound.release();
}

CriterionName criterion_of(const std::string& name) {
  static const std::pair<const char*, CriterionName> names[] = {{"gini", CriterionName::gini},
                                                                {"entropy", CriterionName::entropy},
                                                                {"error", CriterionName::error},
                                                                {"twoing", CriterionName::twoing},
                                                                {"hellinger", CriterionName::hellinger},
                                                                {"squared_error", CriterionName::squared_error},
                                                                {"absolute_error", CriterionName::absolute_error},
                                                                {"poisson", CriterionName::poisson}};
  for (const auto& [known, criterion] : names)
    if (name == known) return criterion;
  throw BadInput("unknown criterion '" + name + "'");
}

MissingPolicy missing_of(const std::string& name, bool has_splitter) {
  if (name == "learn" || name == "refuse") return MissingPolicy::learn;  // refused before it comes here
  if (name == "larger") return MissingPolicy::larger;
  if (name == "branch") return MissingPolicy::branch;
  if (name == "surrogates" || name == "stop")
    return MissingPolicy::larger;                 // the search is the same; see surrogate_rules
  if (has_splitter) return MissingPolicy::learn;  // the splitter reads the name itself
  throw BadInput("unknown missing policy '" + name + "'");
}

Options options_of(const nb::dict& given) {
  Options options;
  for (auto [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (nb::isinstance<nb::str>(value))
      options.set(name, nb::cast<std::string>(value));
    else if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value))
      options.set(name, nb::cast<std::vector<double>>(value));
    else
      options.set(name, nb::cast<double>(value));
  }
  return options;
}

SurrogateRules surrogate_rules(const std::string& missing, const Options& options) {
  SurrogateRules rules;
  rules.asked = missing == "surrogates" || missing == "stop";
  rules.others_stop = missing == "stop";
  if (missing != "surrogates") return rules;
  rules.most_surrogates = static_cast<std::uint32_t>(options.number("max_surrogates"));
  rules.count_both_known = options.flag("count_both_known");
  rules.others_stop = options.flag("others_stop");
  return rules;
}

}  // namespace

Recipe recipe_of(const nb::dict& d) {
  Recipe recipe;
  recipe.criterion = criterion_of(nb::cast<std::string>(d["criterion"]));
  if (d.contains("splitter") && !d["splitter"].is_none()) recipe.splitter = nb::cast<std::string>(d["splitter"]);
  if (d.contains("options")) recipe.options = options_of(nb::cast<nb::dict>(d["options"]));
  recipe.missing_name = nb::cast<std::string>(d["missing"]);
  recipe.missing = missing_of(recipe.missing_name, !recipe.splitter.empty());
  if (recipe.splitter.empty()) recipe.surrogates = surrogate_rules(recipe.missing_name, recipe.options);
  if (recipe.options.has("competitors"))
    recipe.competitors = static_cast<std::uint32_t>(recipe.options.number("competitors"));
  auto number = [&](const char* name, std::int64_t& to) {
    if (d.contains(name) && !d[name].is_none()) to = nb::cast<std::int64_t>(d[name]);
  };
  number("max_depth", recipe.stop.max_depth);
  number("min_samples_split", recipe.stop.min_samples_split);
  number("min_samples_leaf", recipe.stop.min_samples_leaf);
  number("max_leaf_nodes", recipe.stop.max_leaves);
  if (d.contains("min_impurity_decrease"))
    recipe.stop.min_impurity_decrease = nb::cast<double>(d["min_impurity_decrease"]);
  if (d.contains("min_weight_leaf")) recipe.stop.min_weight_leaf = nb::cast<double>(d["min_weight_leaf"]);
  if (d.contains("min_variance_share")) recipe.stop.min_variance_share = nb::cast<double>(d["min_variance_share"]);
  std::int64_t block_rows = 0;
  number("block_rows", block_rows);
  recipe.block_rows = static_cast<std::uint32_t>(block_rows);
  return recipe;
}

namespace {

Tree grow(const BoundTable& table, const BoundTarget& target, nb::dict recipe_values, int threads, nb::object rows) {
  const Recipe recipe = recipe_of(recipe_values);
  std::vector<std::uint32_t> chosen;
  if (!rows.is_none()) {
    auto given = nb::cast<nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(rows);
    for (std::size_t i = 0; i < given.shape(0); ++i) {
      if (given.data()[i] >= table.table.n_rows) throw BadInput("a row number beyond the table");
      if (target.target.weight_of(given.data()[i]) > 0) chosen.push_back(given.data()[i]);
    }
  }
  nb::gil_scoped_release release;
  const std::span<const std::uint32_t> use =
      rows.is_none() ? std::span<const std::uint32_t>(target.target.rows) : chosen;
  Workers workers(use.size() * table.table.columns.size() < 50'000 ? 1 : threads, signal_raised);
  return grow_tree(table.table, target.target, use, recipe, workers);
}

std::vector<Tree> grow_several_of(const BoundTable& table, const std::vector<const BoundTarget*>& targets,
                                  nb::dict recipe_values, int threads) {
  const Recipe recipe = recipe_of(recipe_values);
  std::vector<const Target*> each;
  for (const BoundTarget* target : targets) each.push_back(&target->target);
  nb::gil_scoped_release release;
  Workers workers(table.table.n_rows * table.table.columns.size() * each.size() < 50'000 ? 1 : threads, signal_raised);
  return grow_several(table.table, each, recipe, workers);
}

}  // namespace

void bind_grow(nb::module_& m) {
  nb::class_<BoundTable>(m, "Table", "An encoded table: every column as codes, missing as 0.")
      .def(nb::new_(&make_table), nb::arg("n_rows"), nb::arg("columns"), nb::arg("threads"),
           nb::arg("sample") = kBucketSample, nb::arg("peers").none() = nb::none())
      .def_static("from_matrix", &make_table_from_matrix, nb::arg("matrix"), nb::arg("threads"),
                  nb::arg("sample") = kBucketSample, nb::rv_policy::take_ownership)
      .def("has_missing",
           [](const BoundTable& t) {
             nb::list result;
             for (const auto& column : t.table.columns) result.append(column.has_missing);
             return result;
           })
      .def("with_columns", &with_columns, nb::arg("columns"), nb::rv_policy::take_ownership)
      .def("empty_rows", &empty_rows, "The rows that have no value in any column.")
      .def("is_constant", [](const BoundTable& t) {  // columns with one value; a hole is one too
        nb::list result;
        for (const auto& column : t.table.columns)
          result.append(column.is_coded && column.n_codes + column.has_missing < 2);
        return result;
      });
  nb::class_<BoundTarget>(m, "Target", "What is learnt, in fixed point.")
      .def_static("classes", &class_target, nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights").none(),
                  nb::arg("case_weights").none() = nb::none(), nb::rv_policy::take_ownership)
      .def_static("numbers", &number_target, nb::arg("y"), nb::arg("weights").none(), nb::arg("rates"),
                  nb::arg("case_weights").none() = nb::none(), nb::rv_policy::take_ownership);
  m.def("grow", &grow, nb::arg("table"), nb::arg("target"), nb::arg("recipe"), nb::arg("threads"),
        nb::arg("rows").none() = nb::none());
  m.def("grow_several", &grow_several_of, nb::arg("table"), nb::arg("targets"), nb::arg("recipe"), nb::arg("threads"),
        "One tree for each of several targets: the same tests, and what a node holds of each target.");
}

}  // namespace tw
