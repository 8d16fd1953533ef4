#include "grow/pair_engine.hpp"

namespace tw {

const CriterionEngine& pair_gini(bool unit_weights) { return pair_engine<PairGini, ClassByRow>(unit_weights); }

}  // namespace tw
