// EquationWriter: equations as a stored tree holds them.
#pragma once

#include <algorithm>  // for min
#include <cstdint>    // for int32_t
#include <utility>    // for move
#include <vector>     // for vector

#include "model_tree/equation_term.hpp"
#include "model_tree/node_equations.hpp"
#include "table/column.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

// Writes a mixture as terms of a stored equation: indicators of one column become one number a level, which is 0 for a
// row without a known level.
class EquationWriter {
 public:
  EquationWriter(const NodeEquations& nodes, const Table& table, const Target& target)
      : nodes_(nodes), table_(table), target_(target), all_(nodes.design().moments(nodes.rows(0), {}).of_target()) {
    list_.name = "equation";
    list_.start.push_back(0);
    for (const char* field : {"column", "level", "weight", "filler", "share"})
      list_.fields.emplace_back(field, std::vector<double>());
  }

  // leaf: whether to tell how much the columns explain among the node's rows.
  void write(const Mixture& mixture, std::size_t node, const ReachableLevels& levels, bool leaf) {
    double intercept = mixture.intercept;
    const auto end = mixture.coefficients.end();
    for (auto at = mixture.coefficients.begin(); at != end;) {
      const EquationTerm& term = nodes_.terms()[at->first];
      if (term.is_number()) {
        const FixedValues& values = nodes_.design().of_term(at->first);
        const double share = leaf ? explained_by_number(node, at->first, at->second) : 0;
        add(term.column, 0, at->second, at->second * values.real(double(values.fill)), share);
        ++at;
        continue;
      }
      std::vector<double> by_level(table_.columns[term.column].n_codes + 1, 0);  // at 0: of a row without a level
      for (; at != end && nodes_.terms()[at->first].column == term.column; ++at)
        add_levels(at->first, at->second, by_level);
      intercept += by_level[0];
      for (std::size_t code = 1; code < by_level.size(); ++code) by_level[code] -= by_level[0];
      by_level[0] = 0;
      const std::vector<double> shares =
          leaf ? explained_by_levels(node, term.column, by_level) : std::vector<double>(by_level.size());
      for (std::uint32_t code = 1; code < by_level.size(); ++code)
        if (levels.has(term.column, code)) add(term.column, code, by_level[code], 0, shares[code]);
    }
    intercept_.push_back(intercept);
    list_.start.push_back(static_cast<std::int64_t>(list_.fields[0].second.size()));
  }

  void finish(Tree& tree) {
    tree.extras.emplace_back("intercept", std::move(intercept_));
    tree.lists.push_back(std::move(list_));
  }

 private:
  void add_levels(std::int32_t number, double coefficient, std::vector<double>& by_level) const {
    const EquationTerm& term = nodes_.terms()[number];
    const FixedValues& values = nodes_.design().of_term(number);
    by_level[0] += coefficient * values.real(double(values.fill));
    for (std::size_t code = 1; code < by_level.size(); ++code) by_level[code] += term.member[code] ? coefficient : 0;
  }

  void add(std::int32_t column, std::uint32_t level, double weight, double filler, double share) {
    if (weight == 0) return;
    const double numbers[] = {double(column), double(level), weight, filler, std::min(share, 1.0)};
    for (std::size_t f = 0; f < list_.fields.size(); ++f) list_.fields[f].second.push_back(numbers[f]);
  }

  double explained_by_number(std::size_t node, std::int32_t term, double coefficient) const {
    const double scale = nodes_.design().of_term(term).scale;
    if (scale == 0 || all_ == 0) return 0;
    const double slope = coefficient * (nodes_.design().of_target().scale / scale);
    return slope * slope * nodes_.design().moments(nodes_.rows(node), {term}).at(0, 0) / all_;
  }

  std::vector<double> explained_by_levels(std::size_t node, std::int32_t column,
                                          const std::vector<double>& by_level) const {
    std::vector<std::int64_t> weight(by_level.size(), 0);
    for (auto row : nodes_.rows(node)) weight[table_.columns[column].code(row)] += target_.weight_of(row);
    double total = 0, sum = 0;
    for (std::size_t code = 0; code < by_level.size(); ++code)
      total += double(weight[code]), sum += double(weight[code]) * by_level[code];
    std::vector<double> shares(by_level.size(), 0);
    for (std::size_t code = 0; code < by_level.size() && all_ > 0; ++code) {
      const double off = (by_level[code] - sum / total) * nodes_.design().of_target().scale;
      shares[code] = double(weight[code]) * off * off / all_;
    }
    return shares;
  }

  const NodeEquations& nodes_;
  const Table& table_;
  const Target& target_;
  double all_;  // the spread of the target among all rows
  NodeList list_;
  std::vector<double> intercept_;
};

}  // namespace tw
