#include "grow/absolute_block.hpp"
#include "grow/criterion_engine.hpp"

namespace tw {

const CriterionEngine& absolute_error() {
  static const ListEngine<AbsoluteBlock> made;
  return made;
}

}  // namespace tw
