// The Shapley values of one row in one tree when surrogates tell some of its tests, or it stops at nodes or is spread.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t
#include <vector>   // for vector

#include "explain/explained_tree.hpp"
#include "explain/game_tree.hpp"
#include "explain/quadrature.hpp"

namespace tw {

class OneRowContributions {
 public:
  // row: a number or level code for each column, NaN where there is none.
  // add(player, answer, value) is called for everything that has to be added.
  template <class Add>
  void find(const GameTree& game, const ExplainedTree& explained, const std::vector<double>& row, Add&& add) {
    route(game, row);
    find_equations(game, explained, row);
    for (std::size_t k = 0; k < explained.n_answers; ++k) {
      walk(game, explained, k);
      for (const std::int32_t player : touched_) {
        if (earned_[player] != 0) add(player, k, earned_[player]);
        earned_[player] = 0;
      }
    }
  }

 private:
  void route(const GameTree& game, const std::vector<double>& row);
  void find_equations(const GameTree& game, const ExplainedTree& explained, const std::vector<double>& row);
  double arrive(const ExplainedTree& explained, std::size_t node, std::size_t answer, double product, double t);
  void walk(const GameTree& game, const ExplainedTree& explained, std::size_t answer);
  void walk_down(const GameTree& game, double t, double weight);
  void walk_up(const GameTree& game, const ExplainedTree& explained, std::size_t answer, double t);

  std::vector<std::int32_t> player_, branch_;  // of each node: who tells, and where the row goes
  std::vector<std::uint8_t> met_;              // of each edge
  Edges edges_;
  std::vector<std::vector<Part>> equations_;  // of each node where the row may end
  std::vector<double> moved_;                 // by them, all in all
  std::vector<std::uint32_t> last_;
  std::vector<double> down_, up_, earned_;
  std::vector<std::int32_t> touched_;
  Quadratures quadratures_;
};

}  // namespace tw
