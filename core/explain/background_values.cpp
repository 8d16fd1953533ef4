#include "explain/background_values.hpp"

#include <algorithm>  // for copy_n, min, sort
#include <numeric>    // for iota

#include "base/error.hpp"
#include "explain/leaf_patterns.hpp"

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

std::vector<Pattern> patterns_at(const LeafPath& path, const std::vector<MetTests>& met,
                                 const std::vector<std::uint32_t>& rows) {
  std::vector<Pattern> patterns;
  for (const std::uint32_t i : rows) patterns.push_back(path.of_row(met[i / kBlockRows].met.data(), i % kBlockRows));
  return patterns;
}

struct Background {
  std::vector<LeafPath> paths;
  std::vector<PatternCounts> counts;  // of each path
  std::size_t n_rows, n_words;
  std::vector<std::uint32_t> met;   // nodes × words: as in MetTests, the words of all blocks side by side
  std::vector<std::uint32_t> ends;  // of each node: the first node in preorder that is not below it
  std::vector<std::uint32_t> leaf_number;

  Background(const GameTree& game, const RowChunk& rows)
      : paths(leaf_paths(game)), n_rows(rows.n_rows), n_words(rows.n_blocks), met(game.tree.size() * n_words),
        ends(game.tree.size()), leaf_number(game.tree.size(), 0) {
    for (std::uint32_t k = 0; k < paths.size(); ++k) leaf_number[paths[k].leaf] = k;
    const std::vector<MetTests> blocks = met_by(game, rows);
    std::vector<std::uint32_t> all(n_rows);
    std::iota(all.begin(), all.end(), 0u);
    for (const LeafPath& path : paths) counts.push_back(counted(patterns_at(path, blocks, all)));
    for (std::size_t node = game.tree.size(); node-- > 0;) {
      for (std::size_t w = 0; w < n_words; ++w) met[node * n_words + w] = blocks[w].met[node];
      const std::size_t n = game.tree.n_children[node];
      ends[node] =
          n == 0 ? static_cast<std::uint32_t>(node + 1) : ends[game.tree.child(node, static_cast<std::int32_t>(n) - 1)];
    }
    if (n_rows % kBlockRows != 0) met[n_words - 1] = (std::uint32_t{1} << n_rows % kBlockRows) - 1;
  }
};

// Which leaves a row can reach when any of its columns are taken from some row of the background.
class ReachableLeaves {
 public:
  ReachableLeaves(const GameTree& game, const Background& background)
      : game_(game), background_(background), alive_((game.depth + 1) * background.n_words) {}

  // met: of the row's block; bit: of the row. Calls found(number of the leaf).
  template <class Found>
  void find(const std::vector<std::uint32_t>& met, std::uint32_t bit, Found&& found) {
    const std::size_t words = background_.n_words;
    std::copy_n(background_.met.data(), words, alive_.data());
    for (std::uint32_t i = 1; i < game_.tree.size(); ++i) {
      const std::size_t depth = static_cast<std::size_t>(game_.tree.depth[i]);
      const std::uint32_t* above = alive_.data() + (depth - 1) * words;
      const std::uint32_t* other = background_.met.data() + i * words;
      const std::uint32_t own = met[i] >> bit & 1 ? ~std::uint32_t{0} : 0;
      std::uint32_t any = 0;
      for (std::size_t w = 0; w < words; ++w) any |= alive_[depth * words + w] = above[w] & (other[w] | own);
      if (any == 0)
        i = background_.ends[i] - 1;
      else if (game_.tree.n_children[i] == 0)
        found(background_.leaf_number[i]);
    }
  }

 private:
  const GameTree& game_;
  const Background& background_;
  std::vector<std::uint32_t> alive_;
};

// One tree and some rows of the frame.
class TaskValues {
 public:
  TaskValues(const GameTree& game, const ExplainedTree& explained, const ExplainedTrees& trees, double* values)
      : game_(game), explained_(explained), trees_(trees), values_(values) {}

  void add(const Background& background, const RowChunk& rows, Workers& workers) {
    const std::vector<MetTests> met = met_by(game_, rows);
    std::vector<std::vector<std::uint32_t>> rows_at(background.paths.size());
    ReachableLeaves reachable(game_, background);
    for (std::uint32_t i = 0; i < rows.n_rows; ++i) {
      workers.checkpoint();
      reachable.find(met[i / kBlockRows].met, i % kBlockRows, [&](std::uint32_t leaf) { rows_at[leaf].push_back(i); });
    }
    for (std::size_t leaf = 0; leaf < background.paths.size(); ++leaf) {
      workers.checkpoint();
      if (!rows_at[leaf].empty()) add_leaf(background, leaf, met, rows_at[leaf]);
    }
  }

 private:
  // Rows that meet the same tests earn the same.
  void add_leaf(const Background& background, std::size_t leaf, const std::vector<MetTests>& met,
                const std::vector<std::uint32_t>& rows) {
    const LeafPath& path = background.paths[leaf];
    const std::vector<Pattern> patterns = patterns_at(path, met, rows);
    std::vector<std::pair<Pattern, std::uint32_t>> ordered(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) ordered[i] = {patterns[i], rows[i]};
    std::sort(ordered.begin(), ordered.end());
    earned_.resize(path.edges.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || ordered[i].first != ordered[i - 1].first)
        pattern_earnings(background.counts[leaf], double(background.n_rows), ordered[i].first, path.all(), earned_);
      add_row(path, ordered[i].second);
    }
  }

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
