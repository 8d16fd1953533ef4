// GameTree: a stored tree as a game of its columns (Shapley values that follow the training weights).
//
// A player is a column, or a weighted sum of columns: such a sum is a column that the tree made itself. In a coalition
// a row follows the tests of its players, and goes down every branch of the others' tests, by the weights of the
// branches. So the share of a row that arrives at a leaf is a product over the players of the path: for a player in the
// coalition 1 or 0 (does the row meet all of its tests?), else the product of the branches' ratios. Shapley's weights
// are integrals of t^s (1 − t)^(m − 1 − s), so the value of player j at a leaf is
//     (o_j − z_j) · integral from 0 to 1 of the product over k ≠ j of (z_k + t (o_k − z_k)) dt,
// with o 1 or 0 and z the product of ratios: a polynomial in t, which Gauss's rule integrates exactly with m / 2
// points. At one point the products of all leaves are found by one walk down and up the tree. Every factor is between 0
// and 1, so nothing cancels. That the sums over coalitions can be taken in one walk is due to S. M. Lundberg, G. Erion
// and S.-I. Lee (2018) and, in a time that is linear in the leaves, to P. Yu, C. Xu, A. Bifet and J. Read (2022), who
// divide polynomials where we take points.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t
#include <vector>   // for vector

#include "tree/tree.hpp"

namespace tw {

constexpr std::int32_t kNobody = -1;

// What a player of its own (a sum) gives on to a column.
struct Part {
  std::int32_t column;
  double share;
};

// The tests above every node, by player. The edge into a node is known by the number of the node.
struct Edges {
  std::vector<std::uint32_t> upper;     // the nearest edge above of the same player; 0: none
  std::vector<double> kept;             // the product of the ratios of this edge and those of its player above
  std::vector<std::uint32_t> n_tested;  // how many players have edges on the way to the node
  std::size_t most_players = 0;         // of all ways

  // player[i]: of the test of node i, or kNobody. last: scratch, one entry a player, all 0 before and after.
  void find(const Tree& tree, const std::vector<double>& ratio, const std::vector<std::int32_t>& player,
            std::vector<std::uint32_t>& last);

 private:
  std::vector<std::uint32_t> open_;
};

struct GameTree {
  const Tree& tree;
  std::size_t n_columns, n_players;
  std::vector<std::int32_t> player;      // of each node's own test; kNobody at leaves
  std::vector<double> ratio;             // the part of its parent's branches that the node is, by weight; 1 at the root
  std::vector<std::uint32_t> n_closing;  // at a leaf: how many nodes it is the last one of, itself included; else 0
  std::vector<std::vector<Part>> parts;  // of each sum
  Edges edges;                           // when every test is told by its own player
  std::size_t depth = 0;

  explicit GameTree(const Tree& tree);
};

}  // namespace tw
