// PreparedTrees: what prediction with an ensemble works with. Small trees, and the first levels of large ones, are
// blended, in groups whose cuts fit bytes; the other levels are walked.
#pragma once

#include <cstddef>   // for size_t
#include <memory>    // for unique_ptr
#include <mutex>     // for mutex
#include <optional>  // for optional
#include <vector>    // for vector

#include "ensemble/blended_trees.hpp"
#include "ensemble/ensemble.hpp"
#include "ensemble/flat_trees.hpp"

namespace tw {

class PreparedTrees {
 public:
  explicit PreparedTrees(const Ensemble& ensemble);

  // Trees that follow each other. Without `blended` their rows walk from the root.
  struct Group {
    std::size_t first, last;  // without last
    std::optional<BlendedTrees> blended;
    std::vector<std::vector<std::uint32_t>> entry;  // by tree and blended leaf: where rows walk on; empty: nowhere

    bool ends_blended() const { return blended && entry.empty(); }
  };
  const std::vector<Group>& groups() const { return groups_; }

  // Whether rows of floats can walk through short nodes.
  bool fits_short() const { return fits_short_; }
  // All trees for walking, made when they are first asked for.
  const FlatTrees<ShortNode>& short_trees(const Ensemble& ensemble) const;
  const FlatTrees<LongNode>& long_trees(const Ensemble& ensemble) const;

  std::size_t bytes() const;

 private:
  void add_group(const std::vector<SmallTree>& trees, std::size_t first, std::size_t last, std::size_t n_columns);

  std::vector<Group> groups_;
  bool fits_short_ = true;
  mutable std::mutex making_;
  mutable std::unique_ptr<const FlatTrees<ShortNode>> short_;
  mutable std::unique_ptr<const FlatTrees<LongNode>> long_;
};

}  // namespace tw
