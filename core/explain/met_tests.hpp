// Which rows of a block meet the tests of a tree.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "explain/game_tree.hpp"
#include "explain/row_block.hpp"

namespace tw {

struct MetTests {
  std::vector<std::uint32_t> met;  // by edge: a bit for each row that meets its test and those of its player above
  // Rows that `met` does not tell enough of: sent by a surrogate, stopped at a node, spread, or answered by equations.
  std::uint32_t apart = 0;

  void find(const GameTree& game, const RowChunk& rows, std::size_t block);

 private:
  std::vector<std::uint32_t> branches_;
};

}  // namespace tw
