#include "grow/forest/grow_forest.hpp"

#include <algorithm>  // for max_element
#include <memory>     // for unique_ptr

#include "base/error.hpp"
#include "grow/forest/class_search.hpp"
#include "grow/forest/pair_search.hpp"
#include "grow/forest/tree_grower.hpp"

namespace tw {
namespace {

// Grows one tree: the kinds of search behind one face, so that a thread can hold several.
class Grower {
 public:
  virtual ~Grower() = default;
  virtual SmallTree grow(std::uint32_t tree, const Draws& draws) = 0;
};

template <class Search>
class GrowerOf : public Grower {
 public:
  GrowerOf(const ForestCodes& codes, const Target& target, const ForestRules& rules, Workers& workers)
      : grower_(codes, target, rules, workers) {}
  SmallTree grow(std::uint32_t tree, const Draws& draws) override { return grower_.grow(tree, draws); }

 private:
  TreeGrower<Search> grower_;
};

// The searches of one thread, made when they are first needed.
class Thread {
 public:
  Thread(const ForestCodes& codes, const Target& target, const ForestRules& rules, Workers& workers)
      : codes_(codes), target_(target), rules_(rules), workers_(workers) {}

  SmallTree grow(std::uint32_t tree, const Draws& draws) {
    const bool entropy = rules_.recipe.criterion == CriterionName::entropy;
    if (target_.is_regression()) return grow_with<PairSearch<PairSquaredError, SumsByPlace>>(any_, tree, draws);
    if (target_.n_classes > 2) return grow_classes(tree, draws, entropy);
    if (!counts_fit(draws)) {
      if (entropy) return grow_with<PairSearch<PairEntropy, SumsByPlace>>(any_, tree, draws);
      return grow_with<PairSearch<PairGini, SumsByPlace>>(any_, tree, draws);
    }
    if (entropy) return grow_with<PairSearch<PairEntropy, CountsInWords>>(counting_, tree, draws);
    return grow_with<PairSearch<PairGini, CountsInWords>>(counting_, tree, draws);
  }

 private:
  SmallTree grow_classes(std::uint32_t tree, const Draws& draws, bool entropy) {
    if (entropy) return grow_with<ClassSearch<ClassEntropy>>(any_, tree, draws);
    const bool narrow = draws.weights_inside && !rules_.balance_classes && rules_.class_weights.empty();
    if (narrow) return grow_with<ClassSearch<NarrowClassGini>>(any_, tree, draws);
    return grow_with<ClassSearch<WideClassGini>>(any_, tree, draws);
  }

  bool counts_fit(const Draws& draws) const {
    if (!draws.weights_inside || rules_.balance_classes || !rules_.class_weights.empty()) return false;
    return *std::max_element(draws.counts.begin(), draws.counts.end()) <= CountsInWords::kMostDrawn;
  }

  template <class Search>
  SmallTree grow_with(std::unique_ptr<Grower>& grower, std::uint32_t tree, const Draws& draws) {
    if (!grower) grower = std::make_unique<GrowerOf<Search>>(codes_, target_, rules_, workers_);
    return grower->grow(tree, draws);
  }

  const ForestCodes& codes_;
  const Target& target_;
  const ForestRules& rules_;
  Workers& workers_;
  std::unique_ptr<Grower> any_, counting_;
};

}  // namespace

void grow_trees(const ForestCodes& codes, const Target& target, const RowDrawer& drawer, const ForestRules& rules,
                Workers& workers, Progress& progress, const TreeDone& done) {
  if (target.rows.empty()) throw BadInput("a forest needs rows with weights above zero");
  std::vector<std::unique_ptr<Thread>> threads(workers.size());
  std::vector<std::vector<std::uint32_t>> counts(workers.size());
  progress.total = rules.n_trees - rules.first_tree;
  workers.run(rules.n_trees - rules.first_tree, [&](std::size_t i, int worker) {
    if (!threads[worker]) threads[worker] = std::make_unique<Thread>(codes, target, rules, workers);
    const auto tree = static_cast<std::uint32_t>(rules.first_tree + i);
    drawer.draw(tree, counts[worker]);
    SmallTree grown = threads[worker]->grow(tree, {counts[worker], drawer.weights_are_units(), drawer.repeats()});
    done(tree, grown, counts[worker]);
    ++progress.done;
  });
}

}  // namespace tw
