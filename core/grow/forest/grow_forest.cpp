#include "grow/forest/grow_forest.hpp"

#include "grow/forest/code_nodes.hpp"
#include "grow/forest/forest_threads.hpp"
#include "grow/forest/lists/class_lists.hpp"
#include "grow/forest/lists/pair_lists.hpp"

namespace tw {
namespace {

struct BestCuts {
  using Cells = ForestCodes;
  template <class Criterion, class Sums>
  using Pairs = CodeNodes<PairLists<Criterion, Sums>>;
  template <class Criterion>
  using Classes = CodeNodes<ClassLists<Criterion>>;
};

}  // namespace

void grow_trees(const ForestCodes& codes, const ForestTask& task, const TreeDone& done) {
  grow_with_threads<BestCuts>(codes, task, done);
}

}  // namespace tw
