#include "explain/leaf_patterns.hpp"

#include <algorithm>  // for sort
#include <bit>        // for popcount, countr_zero

#include "base/error.hpp"
#include "explain/block_contributions.hpp"
#include "predict/walk.hpp"

namespace tw {

namespace {

bool has_surrogates(const Tree& tree, std::size_t node) {
  return !tree.surrogate_start.empty() && tree.surrogate_start[node] < tree.surrogate_start[node + 1];
}

// Rows that the test itself does not tell: to the branch of missing values, or apart.
void send_unknown(const Tree& tree, std::size_t node, std::uint32_t unknown, std::uint32_t* branches,
                  std::uint32_t& apart) {
  if (has_surrogates(tree, node) || tree.missing_branch[node] < 0)
    apart |= unknown;
  else
    branches[tree.missing_branch[node]] |= unknown;
}

// Rows of any kind of test, one by one.
std::uint32_t send_rows(const Tree& tree, std::size_t node, const RowChunk& rows, std::size_t block,
                        std::uint32_t* branches) {
  std::uint32_t unknown = 0;
  for (std::size_t i = 0; i < kBlockRows; ++i) {
    const std::int32_t branch =
        branch_of_test(tree, node, [&](std::int32_t column) { return rows.values(column, block)[i]; });
    (branch < 0 ? unknown : branches[branch]) |= std::uint32_t{1} << i;
  }
  return unknown;
}

}  // namespace

void MetTests::find(const GameTree& game, const RowChunk& rows, std::size_t block) {
  const Tree& tree = game.tree;
  met.resize(tree.size());
  met[0] = ~std::uint32_t{0};
  apart = tree.equation_start.empty() ? 0 : met[0];
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::size_t n = tree.n_children[i];
    if (n == 0) continue;
    branches_.assign(n, 0);
    std::uint32_t unknown;
    if (tree.kind[i] == static_cast<std::uint8_t>(TestKind::threshold)) {
      const std::uint32_t known = rows.known(tree.column[i], block);
      branches_[0] = at_most(rows.values(tree.column[i], block), tree.threshold[i]);
      if (n > 1) branches_[1] = known & ~branches_[0];
      unknown = ~known;
    } else {
      unknown = send_rows(tree, i, rows, block, branches_.data());
    }
    send_unknown(tree, i, unknown, branches_.data(), apart);
    for (std::size_t b = 0; b < n; ++b) {
      const std::int32_t child = tree.child(i, static_cast<std::int32_t>(b));
      met[child] = branches_[b] & met[game.edges.upper[child]];
    }
  }
}

namespace {

// 1 / (p · C(p + q, p))
double share_of_one(int p, int q) {
  double share = 1.0 / p;
  for (int i = 1; i <= p; ++i) share *= double(i) / double(q + i);
  return share;
}

// The way to the node that is looked at: the last edge of each player on it.
class Way {
 public:
  explicit Way(const GameTree& game) : game_(game), slot_(game.n_players, 0) {}

  // Nodes have to come in preorder.
  void enter(std::uint32_t node) {
    for (; !open_.empty() && static_cast<std::int32_t>(open_.back()) != game_.tree.parent[node]; open_.pop_back())
      leave(open_.back());
    open_.push_back(node);
    if (node == 0) return;
    const std::int32_t player = game_.player[game_.tree.parent[node]];
    if (game_.edges.upper[node] != 0) {
      path_.edges[slot_[player]] = node;
      return;
    }
    slot_[player] = static_cast<std::uint32_t>(path_.edges.size());
    path_.edges.push_back(node), path_.player.push_back(static_cast<std::uint32_t>(player));
  }

  LeafPath path_to(std::uint32_t leaf) const {
    LeafPath path = path_;
    path.leaf = leaf;
    return path;
  }

 private:
  void leave(std::uint32_t node) {
    if (game_.edges.upper[node] != 0) {
      path_.edges[slot_[game_.player[game_.tree.parent[node]]]] = game_.edges.upper[node];
    } else {
      path_.edges.pop_back(), path_.player.pop_back();
    }
  }

  const GameTree& game_;
  std::vector<std::uint32_t> slot_, open_;
  LeafPath path_;
};

}  // namespace

std::vector<LeafPath> leaf_paths(const GameTree& game) {
  if (game.edges.most_players > 64)
    throw BadInput("a path of this tree tests more than 64 columns, too many for SHAP values against a background");
  Way way(game);
  std::vector<LeafPath> paths;
  for (std::uint32_t i = 0; i < game.tree.size(); ++i) {
    way.enter(i);
    if (game.tree.n_children[i] == 0) paths.push_back(way.path_to(i));
  }
  return paths;
}

PatternCounts counted(std::vector<Pattern> patterns) {
  std::sort(patterns.begin(), patterns.end());
  PatternCounts counts;
  for (const Pattern pattern : patterns) {
    if (counts.empty() || counts.back().first != pattern) counts.emplace_back(pattern, 0.0);
    counts.back().second += 1;
  }
  return counts;
}

void pattern_earnings(const PatternCounts& background, double n_background, Pattern row, Pattern all,
                      std::vector<double>& earned) {
  std::fill(earned.begin(), earned.end(), 0.0);
  for (const auto& [other, count] : background) {
    if ((row | other) != all) continue;
    const Pattern only_row = row & ~other, only_other = other & ~row;
    const int p = std::popcount(only_row), q = std::popcount(only_other);
    if (p > 0) {
      const double share = share_of_one(p, q) * (count / n_background);
      for (Pattern left = only_row; left != 0; left &= left - 1) earned[std::countr_zero(left)] += share;
    }
    if (q > 0) {
      const double share = share_of_one(q, p) * (count / n_background);
      for (Pattern left = only_other; left != 0; left &= left - 1) earned[std::countr_zero(left)] -= share;
    }
  }
}

}  // namespace tw
