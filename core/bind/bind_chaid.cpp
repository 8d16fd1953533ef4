// CHAID's merge step on a table of counts, by itself: for the tests, and for whoever wants to show the working.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "bind/bind.hpp"
#include "grow/tables/chaid/cells.hpp"
#include "grow/tables/chaid/merge_categories.hpp"

namespace tw {
namespace {

namespace nb = nanobind;
using NumberRows = std::vector<std::vector<double>>;

chaid::Merging merging_named(const std::string& name) {
  if (name == "monotonic") return chaid::Merging::monotonic;
  if (name == "free") return chaid::Merging::free;
  if (name == "floating") return chaid::Merging::floating;
  throw BadInput("merging is 'monotonic', 'free' or 'floating'");
}

std::unique_ptr<chaid::Cells> cells_of(const std::string& statistic, const NumberRows& rows,
                                       const std::vector<double>& scores) {
  const std::size_t slots = 2 * rows.size() + chaid::Groups::kSpareSlots, width = rows.at(0).size();
  if (statistic == "f") {
    std::vector<NumberSum> cells(slots);
    for (std::size_t c = 0; c < rows.size(); ++c)
      cells[c] = {static_cast<std::int64_t>(rows[c].at(0)), static_cast<__int128>(rows[c].at(1)),
                  static_cast<__int128>(rows[c].at(2))};
    return std::make_unique<chaid::NumberCells>(std::move(cells), 1.0);
  }
  std::vector<double> counts(slots * width, 0.0);
  for (std::size_t c = 0; c < rows.size(); ++c)
    for (std::size_t k = 0; k < width; ++k) counts[c * width + k] = rows[c].at(k);
  if (statistic == "row_effects") return std::make_unique<chaid::OrderedCells>(std::move(counts), scores);
  return std::make_unique<chaid::ClassCells>(std::move(counts), width, statistic == "likelihood");
}

nb::dict merge(const std::string& merging, const std::string& statistic, const NumberRows& rows,
               const std::vector<double>& scores, const nb::dict& given) {
  chaid::MergeRules rules;
  rules.log_alpha_merge = std::log(nb::cast<double>(given["alpha_merge"]));
  if (!given["alpha_resplit"].is_none()) rules.log_alpha_resplit = std::log(nb::cast<double>(given["alpha_resplit"]));
  rules.exhaustive = nb::cast<bool>(given["exhaustive"]);
  rules.as_spss = nb::cast<std::string>(given["exhaustive_adjust"]) == "spss";
  rules.bonferroni = nb::cast<bool>(given["bonferroni"]);
  rules.min_segment = nb::cast<double>(given["min_segment"]);
  rules.most_levels = nb::cast<std::size_t>(given["most_levels"]);
  if (rows.size() < 2) throw BadInput("merging needs at least two categories");
  const auto cells = cells_of(statistic, rows, scores);
  const chaid::Merged merged = merge_categories(*cells, merging_named(merging), rows.size(), rules);
  nb::dict found;
  found["groups"] = merged.partition;
  found["statistic"] = merged.answer.statistic;
  found["df"] = merged.answer.df;
  found["log_p"] = merged.answer.log_p;
  found["log_p_adjusted"] = merged.log_p_adjusted;
  return found;
}

}  // namespace

void bind_chaid(nb::module_& m) {
  m.def("merge_categories", &merge, nb::arg("merging"), nb::arg("statistic"), nb::arg("rows"), nb::arg("scores"),
        nb::arg("rules"));
}

}  // namespace tw
