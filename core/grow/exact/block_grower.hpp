// BlockGrower: grows the whole subtree of a block of rows from sorted lists. One thread, no recursion. What it knows of
// the target and the criterion is a BlockSearch.
#pragma once

#include <cstdint>  // for uint32_t
#include <memory>   // for unique_ptr
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
  // A node that is grown by another: a slice of every list, and its depth.
  struct Job {
    std::uint32_t begin, n, depth;
  };
  // Subtrees of at most `limit` rows are not grown here but handed out, in the order of subtrees.
  struct HandedOut {
    std::uint32_t limit = 0;
    std::vector<Job> jobs;
  };

  BlockGrower(const GrowthInputs& in, std::unique_ptr<BlockSearch<Word>> search);
  ~BlockGrower();

  Arena grow(std::vector<std::uint32_t> rows, std::uint32_t depth, HandedOut* handed_out = nullptr);
  // Grows what another has handed out; it is left as it is.
  template <class OtherWord>
  Arena grow_job(const BlockGrower<OtherWord>& other, const typename BlockGrower<OtherWord>::Job& job);

  class Growing;

 private:
  template <class OtherWord>
  friend class BlockGrower;
  std::unique_ptr<Growing> growing_;
};

}  // namespace tw
