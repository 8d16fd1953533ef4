// Smoother: what a node answers after it has listened to the nodes above it, as one equation.
#pragma once

#include <cstddef>  // for size_t
#include <map>      // for map
#include <utility>  // for move
#include <vector>   // for vector

#include "linear/node_equations.hpp"

namespace tw {

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
