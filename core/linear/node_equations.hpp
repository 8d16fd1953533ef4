// NodeEquations: an equation for every node of a grown tree, and which nodes are better off as leaves.
#pragma once

#include <cstdint>  // for int32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "linear/equation_term.hpp"
#include "linear/fit_equation.hpp"
#include "linear/model_tree.hpp"
#include "linear/node_moments.hpp"
#include "linear/rows_by_node.hpp"

namespace tw {

class NodeEquations {
 public:
  NodeEquations(const Tree& grown, const Table& table, const Target& target, const ModelTreeRules& rules,
                Workers& workers)
      : grown_(grown), rules_(rules), workers_(workers), terms_(find_terms(grown, table)),
        design_(table, target, terms_.all), rows_(grown, table, target, workers), equations_(grown.size()) {}

  void fit_all();
  // Says for every node whether it becomes a leaf.
  std::vector<std::uint8_t> prune() const;
  const Equation& equation(std::size_t node) const { return equations_[node]; }
  const std::vector<EquationTerm>& terms() const { return terms_.all; }
  const Design& design() const { return design_; }
  std::span<const std::uint32_t> rows(std::size_t node) const { return rows_[node]; }
  std::size_t end(std::size_t node) const { return rows_.end(node); }

 private:
  void fit(std::size_t node, Workers* workers) {
    const std::vector<std::int32_t> terms = terms_below(node);
    equations_[node] = fit_equation(design_.moments(rows_[node], terms, workers), terms, design_, grown_.weight[node]);
  }
  std::vector<std::int32_t> terms_below(std::size_t node) const;

  const Tree& grown_;
  const ModelTreeRules& rules_;
  Workers& workers_;
  EquationTerms terms_;
  Design design_;
  RowsByNode rows_;
  std::vector<Equation> equations_;
};

}  // namespace tw
