#include "explain/game_tree.hpp"

#include <algorithm>  // for max
#include <numeric>    // for accumulate

namespace tw {
namespace {

std::vector<double> branch_ratios(const Tree& tree) {
  std::vector<double> ratio(tree.size(), 1.0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::int32_t n = tree.n_children[i];
    double total = 0;
    for (std::int32_t b = 0; b < n; ++b) total += tree.weight[tree.child(i, b)];
    for (std::int32_t b = 0; b < n; ++b)
      ratio[tree.child(i, b)] = total > 0 ? tree.weight[tree.child(i, b)] / total : 1.0 / n;
  }
  return ratio;
}

std::vector<std::uint32_t> closings(const Tree& tree) {
  std::vector<std::uint32_t> n_closing(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.n_children[i] > 0) continue;
    const std::int32_t next = i + 1 < tree.size() ? tree.depth[i + 1] : 0;
    n_closing[i] = static_cast<std::uint32_t>(tree.depth[i] - next + 1);
  }
  return n_closing;
}

std::vector<Part> parts_of_sum(const Tree& tree, std::size_t node) {
  std::vector<Part> parts;
  for (auto k = tree.term_start[node]; k < tree.term_start[node + 1]; ++k)
    parts.push_back({tree.terms[k].column, tree.terms[k].share});
  const double whole =
      std::accumulate(parts.begin(), parts.end(), 0.0, [](double sum, const Part& part) { return sum + part.share; });
  for (Part& part : parts) part.share = whole > 0 ? part.share / whole : 1.0 / double(parts.size());
  return parts;
}

}  // namespace

void Edges::find(const Tree& tree, const std::vector<double>& ratio, const std::vector<std::int32_t>& player,
                 std::vector<std::uint32_t>& last) {
  const std::size_t n = tree.size();
  upper.assign(n, 0), kept.assign(n, 1.0), n_tested.assign(n, 0);
  most_players = 0;
  open_.clear();
  const auto leave = [&](std::uint32_t node) {
    const std::int32_t whose = node == 0 ? kNobody : player[tree.parent[node]];
    if (whose != kNobody) last[whose] = upper[node];
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (; !open_.empty() && static_cast<std::int32_t>(open_.back()) != tree.parent[i]; open_.pop_back())
      leave(open_.back());
    open_.push_back(static_cast<std::uint32_t>(i));
    if (i == 0) continue;
    const std::int32_t above = tree.parent[i], whose = player[above];
    n_tested[i] = n_tested[above];
    if (whose == kNobody) continue;
    upper[i] = last[whose];
    last[whose] = static_cast<std::uint32_t>(i);
    kept[i] = kept[upper[i]] * ratio[i];
    n_tested[i] += upper[i] == 0;
    most_players = std::max<std::size_t>(most_players, n_tested[i]);
  }
  for (; !open_.empty(); open_.pop_back()) leave(open_.back());
}

GameTree::GameTree(const Tree& of)
    : tree(of), n_columns(static_cast<std::size_t>(of.n_columns)), n_players(n_columns), player(of.column),
      ratio(branch_ratios(of)), n_closing(closings(of)) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    depth = std::max<std::size_t>(depth, tree.depth[i]);
    if (tree.n_children[i] == 0) player[i] = kNobody;
    if (tree.kind[i] != static_cast<std::uint8_t>(TestKind::hyperplane)) continue;
    player[i] = static_cast<std::int32_t>(n_players++);
    parts.push_back(parts_of_sum(tree, i));
  }
  std::vector<std::uint32_t> last(n_players, 0);
  edges.find(tree, ratio, player, last);
}

}  // namespace tw
