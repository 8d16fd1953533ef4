#include "base/error.hpp"
#include "grow/counted/class_cells.hpp"
#include "grow/exact/absolute_block.hpp"
#include "grow/exact/class_block.hpp"
#include "grow/exact/criterion_engine.hpp"

namespace tw {

namespace {

template <class Criterion>
class ClassEngine final : public ListEngine<ClassBlock<Criterion>> {
 public:
  std::unique_ptr<CellSearch> cell_search(const Target& target, const Recipe& recipe) const override {
    return std::make_unique<ClassCells<Criterion>>(target, recipe);
  }
};

template <class Criterion>
const CriterionEngine& engine() {
  static const ClassEngine<Criterion> made;
  return made;
}

}  // namespace

const CriterionEngine& class_engine(CriterionName criterion, double root_weight) {
  switch (criterion) {
    case CriterionName::gini:
      return root_weight < 2147483648.0 ? engine<NarrowClassGini>() : engine<WideClassGini>();
    case CriterionName::entropy:
      return engine<ClassEntropy>();
    case CriterionName::error:
      return engine<ClassError>();
    case CriterionName::twoing:
      return engine<ClassTwoing>();
    case CriterionName::hellinger:
      return engine<ClassHellinger>();
    default:
      throw BadInput("a criterion for numbers was asked of classes");
  }
}

const CriterionEngine& absolute_error() {
  static const ListEngine<AbsoluteBlock> made;
  return made;
}

}  // namespace tw
