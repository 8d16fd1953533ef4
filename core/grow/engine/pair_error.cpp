#include "grow/pair_engine.hpp"

namespace tw {

const CriterionEngine& pair_error(bool unit_weights) { return pair_engine<PairError, ClassByRow>(unit_weights); }

}  // namespace tw
