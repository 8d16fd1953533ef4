// The engine of each criterion for two classes or numbers: small nodes from sorted lists, large ones from tables of
// counts.
#include "grow/counted/pair_cells.hpp"
#include "grow/exact/criterion_engine.hpp"
#include "grow/exact/large_nodes.hpp"
#include "grow/exact/pair_block.hpp"

namespace tw {
namespace {

template <class Criterion, class Payload>
class PairEngine final : public ListEngine<PairBlock<Criterion, Payload>> {
 public:
  std::unique_ptr<LargeNodeGrower> large_nodes(const GrowthInputs& in, std::vector<std::uint32_t>& rows,
                                               std::uint32_t block_rows) const override {
    return make_large_nodes(in, std::make_unique<TableSearchBy<Criterion>>(in.target, in.recipe), rows, block_rows);
  }
  std::unique_ptr<CellSearch> cell_search(const Target& target, const Recipe& recipe) const override {
    return std::make_unique<PairCells>(std::make_unique<TableSearchBy<Criterion>>(target, recipe));
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

}  // namespace

const CriterionEngine& pair_entropy(bool unit_weights) { return pair_engine<PairEntropy, ClassByRow>(unit_weights); }

const CriterionEngine& pair_error(bool unit_weights) { return pair_engine<PairError, ClassByRow>(unit_weights); }

const CriterionEngine& pair_gini(bool unit_weights) { return pair_engine<PairGini, ClassByRow>(unit_weights); }

const CriterionEngine& pair_hellinger(bool unit_weights) {
  return pair_engine<PairHellinger, ClassByRow>(unit_weights);
}

const CriterionEngine& pair_poisson(bool unit_weights) { return pair_engine<PairPoisson, UnitValues>(unit_weights); }

const CriterionEngine& pair_squared_error(bool unit_weights) {
  return pair_engine<PairSquaredError, UnitValues>(unit_weights);
}

}  // namespace tw
