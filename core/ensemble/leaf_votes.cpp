#include "ensemble/leaf_votes.hpp"

#include <mutex>  // for mutex

#include "base/error.hpp"
#include "ensemble/expand_tree.hpp"

namespace tw {
namespace {

// Whether every leaf has some weight and, if asked for, one class that is ahead of all others.
bool leaves_decide(const SmallTree& tree, bool need_winner) {
  for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    double most = 0;
    bool strict = false;
    for (std::size_t k = tree.count_start[leaf]; k < tree.count_start[leaf + 1]; ++k) {
      const double weight = tree.count_weight[k];
      strict = weight > most || (strict && weight < most);
      most = weight > most ? weight : most;
    }
    if (most <= 0 || (need_winner && !strict)) return false;
  }
  return true;
}

// The counts that each leaf answers with. A leaf without any weight answers as its parent.
SmallTree with_full_leaves(const SmallTree& tree, const Ensemble& ensemble) {
  const Tree whole = expand(tree, ensemble.n_columns, ensemble.n_classes);
  SmallTree full;
  full.count_start.push_back(0);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole.n_children[i] > 0) continue;
    std::int32_t node = static_cast<std::int32_t>(i);
    while (whole.weight[node] <= 0 && whole.parent[node] >= 0) node = whole.parent[node];
    for (auto k = whole.count_start[node]; k < whole.count_start[node + 1]; ++k)
      full.count_class.push_back(static_cast<std::uint16_t>(whole.count_class[k])),
          full.count_weight.push_back(whole.count_weight[k]);
    full.count_start.push_back(static_cast<std::uint32_t>(full.count_class.size()));
    full.n_rows.push_back(0);
  }
  return full;
}

std::vector<std::uint32_t> winners(const SmallTree& tree) {
  std::vector<std::uint32_t> of_leaf;
  for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    std::size_t best = tree.count_start[leaf];
    for (std::size_t k = best; k < tree.count_start[leaf + 1]; ++k)
      if (tree.count_weight[k] > tree.count_weight[best]) best = k;
    of_leaf.push_back(tree.count_class[best]);
  }
  return of_leaf;
}

void need_classes(const Ensemble& ensemble) {
  if (ensemble.n_classes == 0) throw BadInput("the trees of this ensemble have values, not classes");
}

std::mutex filling;

}  // namespace

void LeafVotes::add_shares(const SmallTree& tree, std::vector<std::uint32_t>& of_leaf) {
  for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    double sum = 0;
    std::size_t present = 0, last = 0;
    for (std::size_t k = tree.count_start[leaf]; k < tree.count_start[leaf + 1]; ++k) {
      sum += tree.count_weight[k];
      if (tree.count_weight[k] > 0) ++present, last = k;
    }
    if (present == 1) {
      of_leaf.push_back(tree.count_class[last]);
      continue;
    }
    for (std::size_t k = tree.count_start[leaf]; sum > 0 && k < tree.count_start[leaf + 1]; ++k)
      items_.push_back({tree.count_weight[k] / sum, tree.count_class[k]});
    of_leaf.push_back(n_classes_ + static_cast<std::uint32_t>(start_.size() - 1));
    start_.push_back(items_.size());
  }
}

LeafVotes LeafVotes::shares(const Ensemble& ensemble) {
  need_classes(ensemble);
  LeafVotes said(ensemble);
  for (std::size_t t = 0; t < ensemble.trees.size(); ++t) {
    const SmallTree& tree = ensemble.trees[t];
    said.add_shares(leaves_decide(tree, false) ? tree : with_full_leaves(tree, ensemble), said.of_leaf_[t]);
  }
  return said;
}

LeafVotes LeafVotes::votes(const Ensemble& ensemble) {
  need_classes(ensemble);
  LeafVotes said(ensemble);
  for (std::size_t t = 0; t < ensemble.trees.size(); ++t) {
    const SmallTree& tree = ensemble.trees[t];
    if (leaves_decide(tree, true)) {
      said.of_leaf_[t] = winners(tree);
      continue;
    }
    const Tree whole = expand(tree, ensemble.n_columns, ensemble.n_classes);
    for (std::size_t i = 0; i < whole.size(); ++i)
      if (whole.n_children[i] == 0) said.of_leaf_[t].push_back(static_cast<std::uint32_t>(whole.prediction[i]));
  }
  return said;
}

const LeafVotes& Ensemble::leaf_shares() const {
  const std::lock_guard<std::mutex> lock(filling);
  if (!leaf_shares_) leaf_shares_ = std::make_shared<const LeafVotes>(LeafVotes::shares(*this));
  return *leaf_shares_;
}

const LeafVotes& Ensemble::leaf_votes() const {
  const std::lock_guard<std::mutex> lock(filling);
  if (!leaf_votes_) leaf_votes_ = std::make_shared<const LeafVotes>(LeafVotes::votes(*this));
  return *leaf_votes_;
}

}  // namespace tw
