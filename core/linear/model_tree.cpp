#include "linear/model_tree.hpp"

#include <algorithm>  // for sort, stable_sort
#include <cmath>      // for sqrt
#include <map>        // for map
#include <utility>    // for pair

#include "linear/fit_equation.hpp"
#include "linear/node_moments.hpp"
#include "linear/rows_by_node.hpp"
#include "linear/term.hpp"

namespace tw {
namespace {

constexpr std::size_t kLargeNode = 1 << 16;  // rows from which on the threads share one node
constexpr double kSlack = 1 + 1e-12;         // a tie goes to the smaller tree, however it rounds

class Maker {
 public:
  Maker(const Tree& grown, const Table& table, const Target& target, const ModelTreeRules& rules, Workers& workers)
      : grown_(grown), rules_(rules), workers_(workers), terms_(find_terms(grown, table)),
        design_(table, target, terms_.all), rows_(grown, table, target, workers), equations_(grown.size()) {}

  void fit_all();
  std::vector<std::uint8_t> prune() const;
  const Equation& equation(std::size_t node) const { return equations_[node]; }
  const std::vector<Term>& terms() const { return terms_.all; }
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
  Terms terms_;
  Design design_;
  RowsByNode rows_;
  std::vector<Equation> equations_;
};

// Of the tests in a subtree, the terms that lowered the squared error most, ascending.
std::vector<std::int32_t> Maker::terms_below(std::size_t node) const {
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

void Maker::fit_all() {
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
std::vector<std::uint8_t> Maker::prune() const {
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

// Mixture: a weighted sum of equations, dense over all terms.
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
  Smoother(const Maker& maker, const Tree& grown, double smoothing) : maker_(maker), grown_(grown), k_(smoothing) {}

  // Nodes must come in preorder.
  Mixture smooth(std::size_t node) {
    const auto depth = static_cast<std::size_t>(grown_.depth[node]);
    path_.resize(depth);
    Step step;
    if (depth > 0) {
      step = path_.back();
      const double share = k_ / (grown_.weight[node] + k_);
      if (share > 0) step.above.add(step.left * share, maker_.equation(grown_.parent[node]));
      step.left *= 1 - share;
    }
    Mixture mixture = step.above;
    mixture.add(step.left, maker_.equation(node));
    path_.push_back(std::move(step));
    return mixture;
  }

 private:
  struct Step {
    double left = 1;
    Mixture above;
  };
  const Maker& maker_;
  const Tree& grown_;
  double k_;
  std::vector<Step> path_;
};

// Writes a mixture term by term: indicators of one column become one number a level, which is 0 for a row without a
// known level.
class Writer {
 public:
  Writer(const Maker& maker, const Table& table, NodeEquations& to) : maker_(maker), table_(table), to_(to) {
    to_.start.push_back(0);
    to_.fill.assign(table.columns.size(), 0);
    for (std::size_t t = 0; t < maker.terms().size(); ++t)
      if (maker.terms()[t].is_number())
        to_.fill[maker.terms()[t].column] = maker.design().of_term(t).real(maker.design().of_term(t).fill);
  }

  void write(const Mixture& mixture) {
    double intercept = mixture.intercept;
    for (auto at = mixture.coefficients.begin(); at != mixture.coefficients.end();) {
      const std::int32_t column = maker_.terms()[at->first].column;
      if (maker_.terms()[at->first].is_number()) {
        add(column, 0, at->second);
        ++at;
        continue;
      }
      std::vector<double> by_level(table_.columns[column].n_codes + 1, 0);  // at 0: of a row without a level
      for (; at != mixture.coefficients.end() && maker_.terms()[at->first].column == column; ++at) {
        const Term& term = maker_.terms()[at->first];
        const FixedValues& values = maker_.design().of_term(at->first);
        by_level[0] += at->second * values.real(values.fill);
        for (std::size_t code = 1; code < by_level.size(); ++code) by_level[code] += term.member[code] ? at->second : 0;
      }
      for (std::size_t code = 1; code < by_level.size(); ++code)
        add(column, static_cast<std::uint32_t>(code), by_level[code] - by_level[0]);
      intercept += by_level[0];
    }
    to_.intercept.push_back(intercept);
    to_.start.push_back(static_cast<std::int64_t>(to_.column.size()));
  }

 private:
  void add(std::int32_t column, std::uint32_t level, double coefficient) {
    if (coefficient == 0) return;
    to_.column.push_back(column);
    to_.level.push_back(level);
    to_.coefficient.push_back(coefficient);
  }

  const Maker& maker_;
  const Table& table_;
  NodeEquations& to_;
};

// What the columns of a leaf's equation explain among its rows, in fixed units of the target.
void add_importance(const Maker& maker, std::size_t node, const Mixture& mixture, std::vector<double>& importance) {
  std::vector<std::int32_t> terms;
  std::vector<double> slope;
  for (const auto& [term, coefficient] : mixture.coefficients) {
    const double scale = maker.design().of_term(term).scale;
    if (scale == 0) continue;
    terms.push_back(term);
    slope.push_back(coefficient * (maker.design().of_target().scale / scale));
  }
  const NodeMoments moments = maker.design().moments(maker.rows(node), terms);
  for (std::size_t j = 0; j < terms.size(); ++j)
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const std::int32_t column = maker.terms()[terms[j]].column;
      if (maker.terms()[terms[k]].column == column) importance[column] += slope[j] * slope[k] * moments.at(j, k);
    }
}

}  // namespace

ModelTree make_model_tree(const Tree& grown, const Table& table, const Target& target, const ModelTreeRules& rules,
                          Workers& workers) {
  Maker maker(grown, table, target, rules, workers);
  maker.fit_all();
  const std::vector<std::uint8_t> becomes_leaf = maker.prune();
  ModelTree made;
  Smoother smoother(maker, grown, rules.smoothing);
  Writer writer(maker, table, made.equations);
  made.equations.importance.assign(table.columns.size(), 0);
  for (std::size_t node = 0; node < grown.size();) {
    workers.checkpoint();
    const bool leaf = becomes_leaf[node] || grown.n_children[node] == 0;
    const Mixture mixture = smoother.smooth(node);
    writer.write(mixture);
    if (leaf) add_importance(maker, node, mixture, made.equations.importance);
    node = leaf ? maker.end(node) : node + 1;
  }
  const double all = maker.design().moments(maker.rows(0), {}).of_target();
  for (double& share : made.equations.importance) share = all > 0 ? share / all : 0;
  made.tree = cut_at(grown, becomes_leaf);
  return made;
}

}  // namespace tw
