#include "grow/pair_engine.hpp"

namespace tw {

const CriterionEngine& pair_hellinger(bool unit_weights) {
  return pair_engine<PairHellinger, ClassByRow>(unit_weights);
}

}  // namespace tw
