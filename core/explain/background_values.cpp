#include "explain/background_values.hpp"

#include <algorithm>  // for min, sort

#include "base/error.hpp"
#include "explain/leaf_patterns.hpp"
#include "explain/met_tests.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowsPerTask = 512;

// The tests that rows first … first + n − 1 meet, block by block.
std::vector<MetTests> met_by(const GameTree& game, const RowChunk& rows) {
  std::vector<MetTests> met(rows.n_blocks);
  for (std::size_t block = 0; block < rows.n_blocks; ++block) {
    met[block].find(game, rows, block);
    const std::size_t left = rows.n_rows - block * kBlockRows;
    const std::uint32_t there = left >= kBlockRows ? ~std::uint32_t{0} : (std::uint32_t{1} << left) - 1;
    if (met[block].apart & there)
      throw BadInput(
          "SHAP values against a background need every test to be told by its own column. This model has rows that "
          "surrogates send, that are in pieces, or that equations answer; leave the background out");
  }
  return met;
}

std::vector<Pattern> patterns_at(const LeafPath& path, const std::vector<MetTests>& met, std::size_t n_rows) {
  std::vector<Pattern> patterns(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) patterns[i] = path.of_row(met[i / kBlockRows].met.data(), i % kBlockRows);
  return patterns;
}

struct Background {
  std::vector<LeafPath> paths;
  std::vector<PatternCounts> counts;  // of each path
  double n_rows;

  Background(const GameTree& game, const RowChunk& rows)
      : paths(leaf_paths(game)), n_rows(static_cast<double>(rows.n_rows)) {
    const std::vector<MetTests> met = met_by(game, rows);
    for (const LeafPath& path : paths) counts.push_back(counted(patterns_at(path, met, rows.n_rows)));
  }
};

// One tree and some rows of the frame.
class TaskValues {
 public:
  TaskValues(const GameTree& game, const ExplainedTree& explained, const ExplainedTrees& trees, double* values)
      : game_(game), explained_(explained), trees_(trees), values_(values) {}

  void add(const Background& background, const RowChunk& rows, Workers& workers) {
    const std::vector<MetTests> met = met_by(game_, rows);
    std::vector<std::pair<Pattern, std::size_t>> ordered(rows.n_rows);
    for (std::size_t leaf = 0; leaf < background.paths.size(); ++leaf) {
      workers.checkpoint();
      const LeafPath& path = background.paths[leaf];
      const std::vector<Pattern> patterns = patterns_at(path, met, rows.n_rows);
      for (std::size_t i = 0; i < rows.n_rows; ++i) ordered[i] = {patterns[i], i};
      std::sort(ordered.begin(), ordered.end());
      earned_.resize(path.edges.size());
      for (std::size_t i = 0; i < rows.n_rows; ++i) {
        if (i == 0 || ordered[i].first != ordered[i - 1].first)
          pattern_earnings(background.counts[leaf], background.n_rows, ordered[i].first, path.all(), earned_);
        add_row(path, ordered[i].second);
      }
    }
  }

 private:
  void add_row(const LeafPath& path, std::size_t row) {
    for (std::size_t k = 0; k < path.player.size(); ++k) {
      if (earned_[k] == 0) continue;
      const std::size_t player = path.player[k];
      if (player < game_.n_columns) {
        add_to(row, player, path.leaf, earned_[k]);
        continue;
      }
      for (const Part& part : game_.parts[player - game_.n_columns])
        add_to(row, static_cast<std::size_t>(part.column), path.leaf, earned_[k] * part.share);
    }
  }

  void add_to(std::size_t row, std::size_t column, std::size_t leaf, double earned) {
    double* to = values_ + (row * trees_.n_columns + column) * trees_.n_outputs + explained_.first_output;
    const double* answers = explained_.answers.data() + leaf * explained_.n_answers;
    for (std::size_t k = 0; k < explained_.n_answers; ++k) to[k] += earned * answers[k];
  }

  const GameTree& game_;
  const ExplainedTree& explained_;
  const ExplainedTrees& trees_;
  double* values_;
  std::vector<double> earned_;
};

}  // namespace

void background_values(const ExplainedTrees& trees, const Frame& frame, const Frame& background, double* values,
                       Workers& workers) {
  const RowChunk others(background, 0, background.n_rows);
  const std::size_t width = trees.n_columns * trees.n_outputs;
  for (std::size_t t = 0; t < trees.n_trees; ++t) {
    const ExplainedTree explained = trees.tree(t);
    const GameTree game(*explained.tree);
    const Background at_leaves(game, others);
    workers.run((frame.n_rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, int) {
      const std::size_t first = task * kRowsPerTask, n = std::min(kRowsPerTask, frame.n_rows - first);
      TaskValues(game, explained, trees, values + first * width).add(at_leaves, RowChunk(frame, first, n), workers);
    });
  }
}

}  // namespace tw
