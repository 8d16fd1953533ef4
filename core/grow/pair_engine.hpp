// The engine of a criterion for two classes or numbers: small nodes from sorted lists, large ones from tables of
// counts.
#pragma once

#include "grow/criterion_engine.hpp"
#include "grow/large_nodes.hpp"
#include "grow/pair_block.hpp"

namespace tw {

template <class Criterion, class Payload>
class PairEngine final : public ListEngine<PairBlock<Criterion, Payload>> {
 public:
  std::unique_ptr<LargeNodeGrower> large_nodes(const GrowthInputs& in, std::vector<std::uint32_t>& rows,
                                               std::uint32_t block_rows) const override {
    return make_large_nodes(in, std::make_unique<TableSearchBy<Criterion>>(in.target, in.recipe), rows, block_rows);
  }
};

// Rows that all weigh the same have a plainer payload.
template <class Criterion, class Unit>
const CriterionEngine& pair_engine(bool unit_weights) {
  static const PairEngine<Criterion, Unit> plain;
  static const PairEngine<Criterion, WeightedValues> weighted;
  if (unit_weights) return plain;
  return weighted;
}

}  // namespace tw
