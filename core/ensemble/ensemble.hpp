// Ensemble: many small trees over the same columns.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t
#include <memory>   // for shared_ptr
#include <string>   // for string
#include <vector>   // for vector

#include "ensemble/small_tree.hpp"

namespace tw {

class PreparedTrees;
class LeafVotes;

struct Ensemble {
  std::int32_t n_columns = 0;
  std::int32_t n_classes = 0;  // 0: the leaves have values, as those of every booster
  std::vector<SmallTree> trees;

  Ensemble() = default;
  Ensemble(std::int32_t columns, std::int32_t classes) : n_columns(columns), n_classes(classes) {}

  std::size_t n_nodes() const {
    std::size_t sum = 0;
    for (const SmallTree& tree : trees) sum += tree.size();
    return sum;
  }

  // What prediction works with is made when it is first asked for and then kept. Change `trees` only before that.
  const PreparedTrees& prepared() const;  // the forms that rows go through
  const LeafVotes& leaf_shares() const;   // what the leaves say about the classes
  const LeafVotes& leaf_votes() const;    // the class of each leaf

 private:
  mutable std::shared_ptr<const PreparedTrees> prepared_;
  mutable std::shared_ptr<const LeafVotes> leaf_shares_, leaf_votes_;
};

// Throws BadInput with a sentence when any array could make a reader stumble. `where` names the tree.
void check_small_tree(const SmallTree& tree, std::int32_t n_columns, std::int32_t n_classes, const std::string& where);
void check_ensemble(const Ensemble& ensemble);

}  // namespace tw
