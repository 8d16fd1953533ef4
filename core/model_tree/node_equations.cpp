#include "model_tree/node_equations.hpp"

#include <algorithm>  // for sort
#include <cmath>      // for sqrt
#include <map>        // for map
#include <utility>    // for pair

namespace tw {
namespace {

constexpr std::size_t kLargeNode = 1 << 16;  // rows from which on the threads share one node
constexpr double kSlack = 1 + 1e-12;         // a tie goes to the smaller tree, however it rounds

}  // namespace

// Of the tests in a subtree, the terms that lowered the squared error most, ascending.
std::vector<std::int32_t> NodeEquations::terms_below(std::size_t node) const {
  std::map<std::int32_t, double> worth;
  for (std::size_t below = node; below < rows_.end(node); ++below)
    if (terms_.of_node[below] >= 0) worth[terms_.of_node[below]] += grown_.weight[below] * grown_.gain[below];
  std::vector<std::pair<double, std::int32_t>> order;
  for (const auto& [term, gain] : worth) order.emplace_back(-gain, term);
  if (static_cast<std::int64_t>(order.size()) > rules_.max_terms) {
    std::sort(order.begin(), order.end());
    order.resize(static_cast<std::size_t>(rules_.max_terms));
  }
  std::vector<std::int32_t> terms;
  for (const auto& [gain, term] : order) terms.push_back(term);
  std::sort(terms.begin(), terms.end());
  return terms;
}

void NodeEquations::fit_all() {
  std::vector<std::size_t> small;
  for (std::size_t node = 0; node < grown_.size(); ++node) {
    if (rows_[node].size() < kLargeNode) {
      small.push_back(node);
      continue;
    }
    workers_.checkpoint();
    fit(node, &workers_);
  }
  workers_.run(small.size(), [&](std::size_t i, int) {
    workers_.checkpoint();
    fit(small[i], nullptr);
  });
}

// From below: a subtree becomes a leaf where the node's own equation is expected to do no worse.
std::vector<std::uint8_t> NodeEquations::prune() const {
  std::vector<std::uint8_t> becomes_leaf(grown_.size(), 0);
  std::vector<double> squares(grown_.size()), v(grown_.size());  // Σ w × error², numbers that were chosen to fit
  for (std::size_t node = grown_.size(); node-- > 0;) {
    const double weight = grown_.weight[node], error = equations_[node].error;
    squares[node] = weight * error * error;
    v[node] = static_cast<double>(equations_[node].terms.size() + 1);
    if (grown_.n_children[node] == 0) continue;
    double squares_below = 0, v_below = grown_.n_children[node] - 1;
    for (std::int32_t b = 0; b < grown_.n_children[node]; ++b) {
      squares_below += squares[grown_.child(node, b)];
      v_below += v[grown_.child(node, b)];
    }
    const double own = adjusted_error(error, weight, v[node], rules_.penalty);
    const double below = adjusted_error(std::sqrt(squares_below / weight), weight, v_below, rules_.penalty);
    becomes_leaf[node] = rules_.prune && own <= below * kSlack;
    if (!becomes_leaf[node]) squares[node] = squares_below, v[node] = v_below;
  }
  return becomes_leaf;
}

}  // namespace tw
