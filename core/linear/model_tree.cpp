#include "linear/model_tree.hpp"

#include <algorithm>  // for sort, stable_sort
#include <cmath>      // for sqrt
#include <map>        // for map
#include <utility>    // for pair

#include "linear/equation_term.hpp"
#include "linear/fit_equation.hpp"
#include "linear/node_moments.hpp"
#include "linear/reachable_levels.hpp"
#include "linear/rows_by_node.hpp"

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

// Writes a mixture as terms of a stored equation: indicators of one column become one number a level, which is 0 for a
// row without a known level.
class Writer {
 public:
  Writer(const Maker& maker, const Table& table, const Target& target)
      : maker_(maker), table_(table), target_(target), all_(maker.design().moments(maker.rows(0), {}).of_target()) {
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
      const EquationTerm& term = maker_.terms()[at->first];
      if (term.is_number()) {
        const FixedValues& values = maker_.design().of_term(at->first);
        const double share = leaf ? explained_by_number(node, at->first, at->second) : 0;
        add(term.column, 0, at->second, at->second * values.real(double(values.fill)), share);
        ++at;
        continue;
      }
      std::vector<double> by_level(table_.columns[term.column].n_codes + 1, 0);  // at 0: of a row without a level
      for (; at != end && maker_.terms()[at->first].column == term.column; ++at)
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
    const EquationTerm& term = maker_.terms()[number];
    const FixedValues& values = maker_.design().of_term(number);
    by_level[0] += coefficient * values.real(double(values.fill));
    for (std::size_t code = 1; code < by_level.size(); ++code) by_level[code] += term.member[code] ? coefficient : 0;
  }

  void add(std::int32_t column, std::uint32_t level, double weight, double filler, double share) {
    if (weight == 0) return;
    const double numbers[] = {double(column), double(level), weight, filler, std::min(share, 1.0)};
    for (std::size_t f = 0; f < list_.fields.size(); ++f) list_.fields[f].second.push_back(numbers[f]);
  }

  double explained_by_number(std::size_t node, std::int32_t term, double coefficient) const {
    const double scale = maker_.design().of_term(term).scale;
    if (scale == 0 || all_ == 0) return 0;
    const double slope = coefficient * (maker_.design().of_target().scale / scale);
    return slope * slope * maker_.design().moments(maker_.rows(node), {term}).at(0, 0) / all_;
  }

  std::vector<double> explained_by_levels(std::size_t node, std::int32_t column,
                                          const std::vector<double>& by_level) const {
    std::vector<std::int64_t> weight(by_level.size(), 0);
    for (auto row : maker_.rows(node)) weight[table_.columns[column].code(row)] += target_.weight_of(row);
    double total = 0, sum = 0;
    for (std::size_t code = 0; code < by_level.size(); ++code)
      total += double(weight[code]), sum += double(weight[code]) * by_level[code];
    std::vector<double> shares(by_level.size(), 0);
    for (std::size_t code = 0; code < by_level.size() && all_ > 0; ++code) {
      const double off = (by_level[code] - sum / total) * maker_.design().of_target().scale;
      shares[code] = double(weight[code]) * off * off / all_;
    }
    return shares;
  }

  const Maker& maker_;
  const Table& table_;
  const Target& target_;
  double all_;  // the spread of the target among all rows
  NodeList list_;
  std::vector<double> intercept_;
};

// No answer leaves the range of the targets seen in training.
void keep_in_range(const Target& target, Tree& tree) {
  double low = target.numbers[target.rows[0]], high = low;
  for (auto row : target.rows) low = std::min(low, target.numbers[row]), high = std::max(high, target.numbers[row]);
  tree.extras.emplace_back("lowest", std::vector<double>(tree.size(), low));
  tree.extras.emplace_back("highest", std::vector<double>(tree.size(), high));
}

}  // namespace

Tree make_model_tree(const Tree& grown, const Table& table, const Target& target, const ModelTreeRules& rules,
                     Workers& workers) {
  Maker maker(grown, table, target, rules, workers);
  maker.fit_all();
  const std::vector<std::uint8_t> becomes_leaf = maker.prune();
  Smoother smoother(maker, grown, rules.smoothing);
  Writer writer(maker, table, target);
  ReachableLevels levels(grown);
  for (std::size_t node = 0; node < grown.size();) {
    workers.checkpoint();
    levels.go_to(node);
    const bool leaf = becomes_leaf[node] || grown.n_children[node] == 0;
    writer.write(smoother.smooth(node), node, levels, leaf);
    node = leaf ? maker.end(node) : node + 1;
  }
  Tree tree = cut_at(grown, becomes_leaf);
  writer.finish(tree);
  if (rules.clip) keep_in_range(target, tree);
  tree.read_lists();
  return tree;
}

}  // namespace tw
