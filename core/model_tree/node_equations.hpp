// NodeEquations: an equation for every node of a grown tree, and which nodes are better off as leaves.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t
#include <map>      // for map
#include <span>     // for span
#include <utility>  // for move
#include <vector>   // for vector

#include "base/workers.hpp"
#include "model_tree/equation_term.hpp"
#include "model_tree/fit_equation.hpp"
#include "model_tree/model_tree.hpp"
#include "model_tree/node_moments.hpp"

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

// Smoother: what a node answers after it has listened to the nodes above it, as one equation.

// Mixture: a weighted sum of equations, by term.
struct Mixture {
  double intercept = 0;
  std::map<std::int32_t, double> coefficients;

  void add(double share, const Equation& equation) {
    intercept += share * equation.intercept;
    for (std::size_t k = 0; k < equation.terms.size(); ++k)
      coefficients[equation.terms[k]] += share * equation.coefficients[k];
  }
};

// Going up from a leaf, its answer p becomes (n p + k q) / (n + k) at every ancestor that would answer q. All of that
// is linear, so on the way down we keep what the ancestors add (`above`) and the share that is left to the node.
class Smoother {
 public:
  Smoother(const NodeEquations& nodes, const Tree& grown, double smoothing)
      : nodes_(nodes), grown_(grown), k_(smoothing) {}

  // Nodes must come in preorder.
  Mixture smooth(std::size_t node) {
    const auto depth = static_cast<std::size_t>(grown_.depth[node]);
    path_.resize(depth);
    Step step;
    if (depth > 0) {
      step = path_.back();
      const double share = k_ / (grown_.weight[node] + k_);
      if (share > 0) step.above.add(step.left * share, nodes_.equation(grown_.parent[node]));
      step.left *= 1 - share;
    }
    Mixture mixture = step.above;
    mixture.add(step.left, nodes_.equation(node));
    path_.push_back(std::move(step));
    return mixture;
  }

 private:
  struct Step {
    double left = 1;
    Mixture above;
  };
  const NodeEquations& nodes_;
  const Tree& grown_;
  double k_;
  std::vector<Step> path_;
};

}  // namespace tw
