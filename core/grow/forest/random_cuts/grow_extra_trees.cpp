#include "grow/forest/forest_threads.hpp"
#include "grow/forest/grow_forest.hpp"
#include "grow/forest/random_cuts/class_cuts.hpp"
#include "grow/forest/random_cuts/number_nodes.hpp"
#include "grow/forest/random_cuts/pair_cuts.hpp"

namespace tw {
namespace {

template <class Number>
struct RandomCuts {
  using Cells = CellRows<Number>;
  template <class Criterion, class Sums>
  using Pairs = NumberNodes<PairCuts<Criterion, Sums>, Number>;
  template <class Criterion>
  using Classes = NumberNodes<ClassCuts<Criterion>, Number>;
};

}  // namespace

void grow_trees(const CellRows<float>& rows, const ForestTask& task, const TreeDone& done) {
  grow_with_threads<RandomCuts<float>>(rows, task, done);
}

void grow_trees(const CellRows<double>& rows, const ForestTask& task, const TreeDone& done) {
  grow_with_threads<RandomCuts<double>>(rows, task, done);
}

}  // namespace tw
