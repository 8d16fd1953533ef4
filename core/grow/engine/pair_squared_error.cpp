#include "grow/pair_engine.hpp"

namespace tw {

const CriterionEngine& pair_squared_error(bool unit_weights) {
  return pair_engine<PairSquaredError, UnitValues>(unit_weights);
}

}  // namespace tw
