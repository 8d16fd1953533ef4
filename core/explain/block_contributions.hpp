// The Shapley values of a block of rows in one tree, all at once.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "base/workers.hpp"
#include "explain/explained_tree.hpp"
#include "explain/game_tree.hpp"
#include "explain/quadrature.hpp"

namespace tw {

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
