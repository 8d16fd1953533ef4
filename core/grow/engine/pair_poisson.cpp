#include "grow/pair_engine.hpp"

namespace tw {

const CriterionEngine& pair_poisson(bool unit_weights) { return pair_engine<PairPoisson, UnitValues>(unit_weights); }

}  // namespace tw
