#include "grow/pair_engine.hpp"

namespace tw {

const CriterionEngine& pair_entropy(bool unit_weights) { return pair_engine<PairEntropy, ClassByRow>(unit_weights); }

}  // namespace tw
