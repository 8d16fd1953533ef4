// TreeGrower: grows one tree of a forest after the other. Nodes is CodeNodes (best cuts) or NumberNodes (random cuts),
// which have the rows and the search: a Search is PairSearch or ClassSearch, or what random_cuts/ makes of them.
//
// Nodes are taken from a stack, left branch first, and so written in preorder.
#pragma once

#include <utility>  // for move
#include <vector>   // for vector

#include "grow/forest/growing_tree.hpp"

namespace tw {

template <class Nodes>
class TreeGrower : Nodes {
 public:
  using Nodes::Nodes;

  SmallTree grow(std::uint32_t number, const Draws& draws) {
    Nodes::start(draws);
    const std::uint64_t key = stream_key({rules_.seed, static_cast<std::uint64_t>(Purpose::growth), number});
    std::vector<Pending>& stack = Nodes::stack_;
    stack = {{0, static_cast<std::uint32_t>(Nodes::rows_.size()), 0, key, {}}};
    while (!stack.empty()) {
      const Pending node = stack.back();
      stack.pop_back();
      Nodes::pause(node);
      Nodes::enter_or_leave_block(node);
      describe(node);
      if (node.depth == 0) Nodes::total_ = search_.weight();
      std::uint32_t n_left = 0;
      if (!may_split(node) || !Nodes::split(node, n_left)) {
        write_leaf();
        continue;
      }
      const Halves sums = halves();
      stack.push_back({node.begin + n_left, node.n - n_left, node.depth + 1, child_key(node.key, 1), sums.second});
      stack.push_back({node.begin, n_left, node.depth + 1, child_key(node.key, 0), sums.first});
    }
    Nodes::finish();
    return std::move(Nodes::grown_);
  }

 private:
  using Pending = typename Nodes::Pending;
  using Search = typename Nodes::Search;
  using Nodes::rules_;
  using Nodes::search_;
  struct Halves {
    PairSum first, second;
  };

  void describe(const Pending& node) {
    if constexpr (Search::kCounts)
      if (node.sum.rows > 0) return search_.describe(node.sum);
    search_.describe(Nodes::rows_.data() + node.begin, node.n);
  }
  Halves halves() const {
    if constexpr (Search::kCounts) return {search_.left(), search_.right()};
    return {};
  }

  bool may_split(const Pending& node) const {
    const StopRules& stop = rules_.recipe.stop;
    const auto n = static_cast<std::int64_t>(node.n);
    return n >= 2 && !search_.pure() && node.depth < stop.max_depth && n >= stop.min_samples_split &&
           n >= 2 * stop.min_samples_leaf;
  }

  void write_leaf() {
    Nodes::grown_.test.push_back(0);
    search_.write_leaf(Nodes::grown_);
  }
};

}  // namespace tw
