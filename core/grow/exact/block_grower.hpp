// BlockGrower: grows the whole subtree of a block of rows from sorted lists. One thread, no recursion. What it knows of
// the target and the criterion is a BlockSearch.
#pragma once

#include <cstdint>  // for uint32_t
#include <memory>   // for unique_ptr
#include <utility>  // for pair
#include <vector>   // for vector

#include "base/workers.hpp"
#include "grow/exact/block_search.hpp"
#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/column.hpp"
#include "table/target.hpp"

namespace tw {

// What a tree is grown from.
struct GrowthInputs {
  const Table& table;
  const Target& target;
  const Recipe& recipe;
  Workers& workers;
  double root_weight;
};

template <class Word>
class BlockGrower {
 public:
  // Subtrees of at most `limit` rows are not grown here but handed out as jobs: (rows, depth) in the order of subtrees.
  struct HandedOut {
    std::uint32_t limit = 0;
    std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>> jobs;
  };

  BlockGrower(const GrowthInputs& in, std::unique_ptr<BlockSearch<Word>> search);
  ~BlockGrower();

  Arena grow(std::vector<std::uint32_t> rows, std::uint32_t depth, HandedOut* handed_out = nullptr);

 private:
  class Growing;
  std::unique_ptr<Growing> growing_;
};

}  // namespace tw
