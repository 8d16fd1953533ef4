// ForestThreads: the growers of a forest, one for each thread and kind of tree, made when they are first needed.
//
// Cuts says how trees are cut: its Cells are what nodes look at, Pairs<Criterion, Sums> and Classes<Criterion> the
// nodes of each kind.
#pragma once

#include <algorithm>  // for max_element
#include <memory>     // for unique_ptr
#include <vector>     // for vector

#include "base/error.hpp"
#include "grow/forest/class_search.hpp"
#include "grow/forest/grow_forest.hpp"
#include "grow/forest/pair_search.hpp"
#include "grow/forest/tree_grower.hpp"

namespace tw {

// Grows one tree: the kinds of nodes behind one face, so that a thread can hold several.
class Grower {
 public:
  virtual ~Grower() = default;
  virtual SmallTree grow(std::uint32_t tree, const Draws& draws) = 0;
};

template <class Nodes>
class GrowerOf : public Grower {
 public:
  template <class Cells>
  GrowerOf(const Cells& cells, const Target& target, const ForestRules& rules, Workers& workers)
      : grower_(cells, target, rules, workers) {}
  SmallTree grow(std::uint32_t tree, const Draws& draws) override { return grower_.grow(tree, draws); }

 private:
  TreeGrower<Nodes> grower_;
};

template <class Cuts>
class ForestThread {
 public:
  using Cells = typename Cuts::Cells;
  ForestThread(const Cells& cells, const Target& target, const ForestRules& rules, Workers& workers)
      : cells_(cells), target_(target), rules_(rules), workers_(workers) {}

  SmallTree grow(std::uint32_t tree, const Draws& draws) {
    const bool entropy = rules_.recipe.criterion == CriterionName::entropy;
    if (target_.is_regression()) return grow_pairs<PairSquaredError, SumsByPlace>(any_, tree, draws);
    if (target_.n_classes > 2) return grow_classes(tree, draws, entropy);
    if (!counts_fit(draws)) {
      if (entropy) return grow_pairs<PairEntropy, SumsByPlace>(any_, tree, draws);
      return grow_pairs<PairGini, SumsByPlace>(any_, tree, draws);
    }
    if (entropy) return grow_pairs<PairEntropy, CountsInWords>(counting_, tree, draws);
    return grow_pairs<PairGini, CountsInWords>(counting_, tree, draws);
  }

 private:
  SmallTree grow_classes(std::uint32_t tree, const Draws& draws, bool entropy) {
    using Entropy = typename Cuts::template Classes<ClassEntropy>;
    using Narrow = typename Cuts::template Classes<NarrowClassGini>;
    using Wide = typename Cuts::template Classes<WideClassGini>;
    if (entropy) return grow_with<Entropy>(any_, tree, draws);
    const bool narrow = draws.weights_inside && !rules_.balance_classes && rules_.class_weights.empty();
    return narrow ? grow_with<Narrow>(any_, tree, draws) : grow_with<Wide>(any_, tree, draws);
  }

  bool counts_fit(const Draws& draws) const {
    if (!draws.weights_inside || rules_.balance_classes || !rules_.class_weights.empty()) return false;
    return *std::max_element(draws.counts.begin(), draws.counts.end()) <= CountsInWords::kMostDrawn;
  }

  template <class Criterion, class Sums>
  SmallTree grow_pairs(std::unique_ptr<Grower>& grower, std::uint32_t tree, const Draws& draws) {
    return grow_with<typename Cuts::template Pairs<Criterion, Sums>>(grower, tree, draws);
  }

  template <class Nodes>
  SmallTree grow_with(std::unique_ptr<Grower>& grower, std::uint32_t tree, const Draws& draws) {
    if (!grower) grower = std::make_unique<GrowerOf<Nodes>>(cells_, target_, rules_, workers_);
    return grower->grow(tree, draws);
  }

  const Cells& cells_;
  const Target& target_;
  const ForestRules& rules_;
  Workers& workers_;
  std::unique_ptr<Grower> any_, counting_;
};

template <class Cuts>
void grow_with_threads(const typename Cuts::Cells& cells, const ForestTask& task, const TreeDone& done) {
  const ForestRules& rules = task.rules;
  if (task.target.rows.empty()) throw BadInput("a forest needs rows with weights above zero");
  std::vector<std::unique_ptr<ForestThread<Cuts>>> threads(task.workers.size());
  std::vector<std::vector<std::uint32_t>> counts(task.workers.size());
  task.progress.total = rules.n_trees - rules.first_tree;
  task.workers.run(rules.n_trees - rules.first_tree, [&](std::size_t i, int worker) {
    auto& thread = threads[worker];
    if (!thread) thread = std::make_unique<ForestThread<Cuts>>(cells, task.target, rules, task.workers);
    const auto tree = static_cast<std::uint32_t>(rules.first_tree + i);
    task.drawer.draw(tree, counts[worker]);
    SmallTree grown = thread->grow(tree, {counts[worker], task.drawer.weights_are_units(), task.drawer.repeats()});
    done(tree, grown, counts[worker]);
    ++task.progress.done;
  });
}

}  // namespace tw
