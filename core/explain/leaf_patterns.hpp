// Which rows of a block meet the tests of a tree.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t, uint64_t
#include <utility>  // for pair
#include <vector>   // for vector

#include "explain/block_contributions.hpp"
#include "explain/game_tree.hpp"

namespace tw {

struct MetTests {
  std::vector<std::uint32_t> met;  // by edge: a bit for each row that meets its test and those of its player above
  // Rows that `met` does not tell enough of: sent by a surrogate, stopped at a node, spread, or answered by equations.
  std::uint32_t apart = 0;

  void find(const GameTree& game, const RowChunk& rows, std::size_t block);

 private:
  std::vector<std::uint32_t> branches_;
};

// The paths of a tree: at every leaf its players, and which of them rows meet.

using Pattern = std::uint64_t;  // a bit for each player of a path: does the row meet its tests?

struct LeafPath {
  std::uint32_t leaf = 0;
  std::vector<std::uint32_t> edges;   // the last edge of each player
  std::vector<std::uint32_t> player;  // whose they are

  Pattern all() const { return edges.size() == 64 ? ~Pattern{0} : (Pattern{1} << edges.size()) - 1; }
  // met: by edge a bit for each row of a block.
  Pattern of_row(const std::uint32_t* met, std::size_t row) const {
    Pattern pattern = 0;
    for (std::size_t k = 0; k < edges.size(); ++k) pattern |= Pattern{met[edges[k]] >> row & 1} << k;
    return pattern;
  }
};

// Throws BadInput when a path has more than 64 players.
std::vector<LeafPath> leaf_paths(const GameTree& game);

// Different patterns, ascending, each with how often it occurs.
using PatternCounts = std::vector<std::pair<Pattern, double>>;
PatternCounts counted(std::vector<Pattern> patterns);

// What each player of a path earns when its leaf answers 1, in the mean over the background.
void pattern_earnings(const PatternCounts& background, double n_background, Pattern row, Pattern all,
                      std::vector<double>& earned);

}  // namespace tw
