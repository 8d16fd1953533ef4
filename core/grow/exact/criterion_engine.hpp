// CriterionEngine: what one criterion brings to the growing of binary trees. The loops are elsewhere and know none.
#pragma once

#include <cstdint>  // for uint32_t
#include <memory>   // for unique_ptr
#include <vector>   // for vector

#include "grow/counted/cell_search.hpp"
#include "grow/exact/block_grower.hpp"

namespace tw {

// A part of the rows that is grown by others: where it lies in the order of the rows, and how deep.
struct BlockJob {
  std::uint32_t begin, n, depth;
};

// Grows nodes that are too large for a block, from tables of counts.
class LargeNodeGrower {
 public:
  virtual ~LargeNodeGrower() = default;
  // Subtrees of at most this many rows are left to others, whatever their size.
  virtual void hand_out_below(std::uint32_t rows) = 0;
  // Grows everything above block size. A node with a subtree g ≥ 1 stands for the subtree of jobs[g − 1].
  virtual Arena grow(std::uint32_t depth, std::vector<BlockJob>& jobs) = 0;
};

class CriterionEngine {
 public:
  virtual ~CriterionEngine() = default;
  virtual std::unique_ptr<BlockSearch<std::uint32_t>> narrow_search(const Target&, const Recipe&) const = 0;
  virtual std::unique_ptr<BlockSearch<std::uint64_t>> wide_search(const Target&, const Recipe&) const = 0;
  // Null where trees are grown from lists alone. `rows` is put in order node by node.
  virtual std::unique_ptr<LargeNodeGrower> large_nodes(const GrowthInputs&, std::vector<std::uint32_t>& /*rows*/,
                                                       std::uint32_t /*block_rows*/) const {
    return nullptr;
  }
  // What finds splits in tables of counts alone; null where these do not say enough (medians).
  virtual std::unique_ptr<CellSearch> cell_search(const Target&, const Recipe&) const { return nullptr; }
};

template <class Search>
class ListEngine : public CriterionEngine {
 public:
  std::unique_ptr<BlockSearch<std::uint32_t>> narrow_search(const Target& target, const Recipe& recipe) const override {
    return std::make_unique<SearchAt<std::uint32_t, Search>>(target, recipe);
  }
  std::unique_ptr<BlockSearch<std::uint64_t>> wide_search(const Target& target, const Recipe& recipe) const override {
    return std::make_unique<SearchAt<std::uint64_t, Search>>(target, recipe);
  }
};

// Each in a unit of its own: two classes by a criterion, numbers, three classes and more, least absolute deviation.
const CriterionEngine& pair_gini(bool unit_weights);
const CriterionEngine& pair_entropy(bool unit_weights);
const CriterionEngine& pair_error(bool unit_weights);
const CriterionEngine& pair_hellinger(bool unit_weights);
const CriterionEngine& pair_squared_error(bool unit_weights);
const CriterionEngine& pair_poisson(bool unit_weights);
const CriterionEngine& class_engine(CriterionName criterion, double root_weight);
const CriterionEngine& absolute_error();

const CriterionEngine& engine_for(CriterionName criterion, const Target& target, double root_weight);

}  // namespace tw
