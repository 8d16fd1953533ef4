// Rows to explain, some thousand at a time: their values as doubles, column by column.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <limits>   // for numeric_limits
#include <vector>   // for vector

#include "base/workers.hpp"
#include "explain/explained_tree.hpp"
#include "explain/game_tree.hpp"
#include "explain/quadrature.hpp"
#include "predict/frame.hpp"

namespace tw {

constexpr std::size_t kBlockRows = 32;  // that are explained together: a bit each in a word

class RowChunk {
 public:
  // Rows first … first + n − 1 of the frame; the last block is filled up with rows that have no value at all.
  RowChunk(const Frame& frame, std::size_t first, std::size_t n)
      : n_rows(n), n_blocks((n + kBlockRows - 1) / kBlockRows), stride(n_blocks * kBlockRows),
        values_(frame.columns.size() * stride, std::numeric_limits<double>::quiet_NaN()),
        known_(frame.columns.size() * n_blocks, 0) {
    for (std::size_t c = 0; c < frame.columns.size(); ++c)
      for (std::size_t i = 0; i < n; ++i) {
        const double x = frame.columns[c].at(first + i);
        values_[c * stride + i] = x;
        known_[c * n_blocks + i / kBlockRows] |= static_cast<std::uint32_t>(x == x) << i % kBlockRows;
      }
  }

  const std::size_t n_rows, n_blocks, stride;

  // The values of a block in a column, and a bit for each row that has one.
  const double* values(std::size_t column, std::size_t block) const {
    return values_.data() + column * stride + block * kBlockRows;
  }
  std::uint32_t known(std::size_t column, std::size_t block) const { return known_[column * n_blocks + block]; }

 private:
  std::vector<double> values_;
  std::vector<std::uint32_t> known_;
};

// A block of values against a cut.

// Bit i: values[i] <= cut, for the kBlockRows values of a block. Never where the value is NaN.
std::uint32_t at_most(const double* values, double cut);

// The Shapley values of a block of rows in one tree, all at once.

// An edge at one point: PointFactors, and the ratio, which is the factor where the player failed a test above.
struct EdgeAtPoint {
  double met, failed, ratio, earned_met, earned_failed;
};

// Some points of a rule, by their numbers, without the last.
struct PointRange {
  std::size_t first, last;
};

// A tree laid out for walking: for every point all edges, in preorder.
struct PointWalk {
  struct Step {
    std::uint32_t upper, player, n_closing;  // as in GameTree; n_closing 0: an inner node
  };
  std::vector<Step> steps;
  std::vector<EdgeAtPoint> at;  // points × nodes
  std::vector<double> weight;   // of the points
  std::size_t depth;
  const double* answers;  // as in ExplainedTree
  std::size_t n_answers;

  PointWalk(const GameTree& game, const ExplainedTree& explained, const Quadrature& rule, PointRange points);
};

struct BlockSums {
  double* sums;           // player p, answer k, row i of the block: sums[(p · outputs + k) · stride + i], added to
  std::size_t n_outputs;  // k counts from the first output of the tree
  std::size_t stride;
};

// Scratch memory.
struct BlockRoom {
  std::vector<double> numbers;
  std::vector<std::uint32_t> path;
};

// met: as MetTests has it; rows with a bit in `apart` get nothing.
void add_block_contributions(const PointWalk& walk, const std::uint32_t* met, std::uint32_t apart, const BlockSums& to,
                             BlockRoom& room, Workers& workers);

}  // namespace tw
