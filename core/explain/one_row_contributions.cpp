#include "explain/one_row_contributions.hpp"

#include <algorithm>  // for max, sort, unique

#include "explain/quadrature.hpp"
#include "predict/walk.hpp"

namespace tw {

void OneRowContributions::route(const GameTree& game, const std::vector<double>& row) {
  const Tree& tree = game.tree;
  player_ = game.player;
  branch_.assign(tree.size(), kMissingStops);
  std::int32_t asked = 0;
  const auto value_of = [&](std::int32_t column) { return asked = column, row[column]; };
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.n_children[i] == 0) continue;
    branch_[i] = branch_of_test(tree, i, value_of);
    if (branch_[i] < 0 && !tree.surrogate_start.empty()) {
      branch_[i] = branch_by_surrogate(tree, i, value_of);
      if (branch_[i] >= 0) player_[i] = asked;  // the last one asked is the one that answered
    }
    if (branch_[i] < 0) branch_[i] = tree.missing_branch[i];
    if (branch_[i] == kMissingSpreads) player_[i] = kNobody;
  }
  last_.resize(game.n_players, 0), earned_.resize(game.n_players, 0.0);
  edges_.find(tree, game.ratio, player_, last_);
  met_.assign(tree.size(), 1);
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const std::int32_t above = tree.parent[i], branch = branch_[above];
    met_[i] = met_[edges_.upper[i]] && branch >= 0 && tree.child(above, branch) == static_cast<std::int32_t>(i);
  }
  touched_ = player_;
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  if (!touched_.empty() && touched_[0] == kNobody) touched_.erase(touched_.begin());
}

void OneRowContributions::find_equations(const GameTree& game, const ExplainedTree& explained,
                                         const std::vector<double>& row) {
  const Tree& tree = game.tree;
  equations_.clear(), moved_.clear();
  if (tree.equation_start.empty()) return;
  equations_.resize(tree.size()), moved_.resize(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (branch_[i] != kMissingStops) continue;
    moved_[i] = explained.factor * equation_parts(tree, i, row, equations_[i]);
    for (Part& part : equations_[i]) {
      part.share *= explained.factor;
      touched_.push_back(part.column);
    }
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
}

// What arrives of the answer of a node where the row may end. Its equation is a player whose factor is the answer.
double OneRowContributions::arrive(const ExplainedTree& explained, std::size_t node, std::size_t answer, double product,
                                   double t) {
  const double known = explained.answers[node * explained.n_answers + answer];
  if (equations_.empty()) return product * known;
  for (const Part& part : equations_[node]) earned_[part.column] += product * part.share;
  return product * (known + t * moved_[node]);
}

void OneRowContributions::walk(const GameTree& game, const ExplainedTree& explained, std::size_t answer) {
  // A row that stops at a node has one player more there at most than on the way to it; n_tested of a child counts it.
  const std::size_t players = std::max<std::size_t>(1, edges_.most_players + !equations_.empty());
  const Quadrature& rule = quadratures_.with((players + 1) / 2);
  for (std::size_t p = 0; p < rule.point.size(); ++p) {
    walk_down(game, rule.point[p], rule.weight[p]);
    walk_up(game, explained, answer, rule.point[p]);
  }
}

void OneRowContributions::walk_down(const GameTree& game, double t, double weight) {
  down_.resize(game.tree.size());
  down_[0] = weight;
  for (std::size_t i = 1; i < game.tree.size(); ++i) {
    const std::int32_t above = game.tree.parent[i];
    double factor = game.ratio[i];
    if (player_[above] != kNobody) {
      const PointFactors at(t, edges_.kept[i], edges_.kept[edges_.upper[i]]);
      if (met_[edges_.upper[i]]) factor = met_[i] ? at.met : at.failed;
    }
    down_[i] = down_[above] * factor;
  }
}

void OneRowContributions::walk_up(const GameTree& game, const ExplainedTree& explained, std::size_t answer, double t) {
  const Tree& tree = game.tree;
  up_.assign(tree.size(), 0.0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (tree.n_children[i] == 0) {
      up_[i] = arrive(explained, i, answer, down_[i], t);
    } else if (branch_[i] == kMissingStops && met_[edges_.upper[i + 1]]) {
      // The row ends here when the player is known: an edge of its own that no training row takes.
      const PointFactors at(t, 0.0, edges_.kept[edges_.upper[i + 1]]);
      const double arrived = arrive(explained, i, answer, down_[i] * at.met, t);
      earned_[player_[i]] += arrived * at.earned_met;
      up_[i] += arrived;
    }
    if (i == 0) break;
    const std::int32_t above = tree.parent[i];
    up_[above] += up_[i];
    if (player_[above] == kNobody || !met_[edges_.upper[i]]) continue;
    const PointFactors at(t, edges_.kept[i], edges_.kept[edges_.upper[i]]);
    earned_[player_[above]] += up_[i] * (met_[i] ? at.earned_met : at.earned_failed);
  }
}

}  // namespace tw
