#include "explain/shap_values.hpp"

#include <algorithm>  // for clamp, min, fill
#include <string>     // for to_string

#include "base/error.hpp"
#include "explain/block_contributions.hpp"
#include "explain/leaf_patterns.hpp"
#include "explain/one_row_contributions.hpp"

namespace tw {
namespace {

constexpr std::size_t kBlocksPerTask = 4;
constexpr std::size_t kEdgesAtOnce = std::size_t{1} << 22;  // of all points that are walked together
constexpr std::size_t kMostPlayers = 4096;  // sums of columns below each other; the work grows with nodes · players

struct Scratch {
  MetTests tests;
  BlockRoom room;
  std::vector<double> row;
  OneRowContributions one_row;
};

// A tree at some of its points.
struct TreeAtPoints {
  const GameTree& game;
  const ExplainedTree& explained;
  PointWalk walk;
  bool are_first;  // of the tree's points: what is not done point by point is done with them
};

// Sums of some thousand rows, column by column: (player · outputs + output) · stride + row.
class ChunkValues {
 public:
  ChunkValues(const ExplainedTrees& trees, const RowChunk& rows) : trees_(trees), rows_(rows) {}

  void add(const ExplainedTree& explained, Quadratures& rules, std::vector<Scratch>& scratch, Workers& workers) {
    const GameTree game(*explained.tree);
    if (game.edges.most_players > kMostPlayers)
      throw BadInput("a path of this tree tests " + std::to_string(game.edges.most_players) +
                     " different sums of columns; SHAP values are given for up to " + std::to_string(kMostPlayers) +
                     ". Prune the tree, or limit max_depth");
    if (game.edges.most_players == 0 && explained.tree->equation_start.empty()) return;
    sums_.resize(std::max(sums_.size(), game.n_players * trees_.n_outputs * rows_.stride), 0.0);
    const Quadrature& rule = rules.with((std::max<std::size_t>(1, game.edges.most_players) + 1) / 2);
    const std::size_t n_points = rule.point.size(), at_once = std::max<std::size_t>(1, kEdgesAtOnce / game.tree.size());
    for (std::size_t first = 0; first < n_points; first += at_once)
      add_points(
          {game, explained, PointWalk(game, explained, rule, {first, std::min(n_points, first + at_once)}), first == 0},
          scratch, workers);
  }

  void copy_to(double* values) const {
    const std::size_t width = trees_.n_columns * trees_.n_outputs;
    if (sums_.empty()) return;
    for (std::size_t i = 0; i < rows_.n_rows; ++i)
      for (std::size_t k = 0; k < width; ++k) values[i * width + k] = sums_[k * rows_.stride + i];
  }

 private:
  double* place(std::size_t player, std::size_t output, std::size_t block) {
    return sums_.data() + (player * trees_.n_outputs + output) * rows_.stride + block * kBlockRows;
  }

  void add_points(const TreeAtPoints& tree, std::vector<Scratch>& scratch, Workers& workers) {
    workers.run((rows_.n_blocks + kBlocksPerTask - 1) / kBlocksPerTask, [&](std::size_t task, int worker) {
      const std::size_t first = task * kBlocksPerTask, last = std::min(rows_.n_blocks, first + kBlocksPerTask);
      for (std::size_t block = first; block < last; ++block) add_block(tree, block, scratch[worker], workers);
    });
  }

  void add_block(const TreeAtPoints& tree, std::size_t block, Scratch& scratch, Workers& workers) {
    scratch.tests.find(tree.game, rows_, block);
    const BlockSums to{place(0, tree.explained.first_output, block), trees_.n_outputs, rows_.stride};
    const std::uint32_t apart = scratch.tests.apart;
    add_block_contributions(tree.walk, scratch.tests.met.data(), apart, to, scratch.room, workers);
    for (std::size_t i = 0; tree.are_first && i < kBlockRows && block * kBlockRows + i < rows_.n_rows; ++i) {
      if ((apart >> i & 1) == 0) continue;
      workers.checkpoint();
      add_row(tree.game, tree.explained, block, i, scratch);
    }
    part_sums(tree.game, tree.explained, block);
  }

  void add_row(const GameTree& game, const ExplainedTree& explained, std::size_t block, std::size_t i,
               Scratch& scratch) {
    scratch.row.resize(trees_.n_columns);
    for (std::size_t c = 0; c < trees_.n_columns; ++c) scratch.row[c] = rows_.values(c, block)[i];
    scratch.one_row.find(game, explained, scratch.row, [&](std::int32_t player, std::size_t k, double value) {
      place(player, explained.first_output + k, block)[i] += value;
    });
  }

  // What sums of columns earned goes to their columns.
  void part_sums(const GameTree& game, const ExplainedTree& explained, std::size_t block) {
    for (std::size_t s = 0; s < game.parts.size(); ++s)
      for (std::size_t k = 0; k < explained.n_answers; ++k) {
        double* earned = place(game.n_columns + s, explained.first_output + k, block);
        for (const Part& part : game.parts[s]) {
          double* to = place(part.column, explained.first_output + k, block);
          for (std::size_t i = 0; i < kBlockRows; ++i) to[i] += part.share * earned[i];
        }
        std::fill(earned, earned + kBlockRows, 0.0);
      }
  }

  const ExplainedTrees& trees_;
  const RowChunk& rows_;
  std::vector<double> sums_;
};

// As many rows as have some 32 MiB of sums.
std::size_t rows_at_once(const ExplainedTrees& trees) {
  const std::size_t width = std::max<std::size_t>(1, (trees.n_columns + trees.most_sums) * trees.n_outputs);
  return std::clamp<std::size_t>((std::size_t{1} << 22) / width, kBlockRows, 8192) / kBlockRows * kBlockRows;
}

}  // namespace

void shap_values(const ExplainedTrees& trees, const Frame& frame, double* values, Workers& workers) {
  const std::size_t width = trees.n_columns * trees.n_outputs, at_once = rows_at_once(trees);
  Quadratures rules;
  std::vector<Scratch> scratch(workers.size());
  for (std::size_t first = 0; first < frame.n_rows; first += at_once) {
    const RowChunk rows(frame, first, std::min(at_once, frame.n_rows - first));
    ChunkValues chunk(trees, rows);
    for (std::size_t i = 0; i < trees.n_trees; ++i) chunk.add(trees.tree(i), rules, scratch, workers);
    chunk.copy_to(values + first * width);
  }
}

std::vector<double> expected_answers(const ExplainedTrees& trees) {
  std::vector<double> expected(trees.n_outputs, 0.0), arriving;
  for (std::size_t t = 0; t < trees.n_trees; ++t) {
    const ExplainedTree explained = trees.tree(t);
    const GameTree game(*explained.tree);
    arriving.assign(game.tree.size(), 1.0);
    for (std::size_t i = 0; i < game.tree.size(); ++i) {
      if (i > 0) arriving[i] = arriving[game.tree.parent[i]] * game.ratio[i];
      if (game.tree.n_children[i] > 0) continue;
      for (std::size_t k = 0; k < explained.n_answers; ++k)
        expected[explained.first_output + k] += arriving[i] * explained.answers[i * explained.n_answers + k];
    }
  }
  return expected;
}

}  // namespace tw
