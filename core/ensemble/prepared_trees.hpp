// PreparedTrees: what prediction with an ensemble works with. Small trees of cuts are blended, in groups whose cuts fit
// bytes; all others are walked.
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

  // Trees that follow each other.
  struct Group {
    std::size_t first, last;              // without last
    std::optional<BlendedTrees> blended;  // none: they are walked
  };
  const std::vector<Group>& groups() const { return groups_; }

  // Whether rows of floats can walk through short nodes.
  bool fits_short() const { return fits_short_; }
  // All trees for walking, made when they are first asked for.
  const FlatTrees<ShortNode>& short_trees(const Ensemble& ensemble) const;
  const FlatTrees<LongNode>& long_trees(const Ensemble& ensemble) const;

  std::size_t bytes() const;

 private:
  std::vector<Group> groups_;
  bool fits_short_ = true;
  mutable std::mutex making_;
  mutable std::unique_ptr<const FlatTrees<ShortNode>> short_;
  mutable std::unique_ptr<const FlatTrees<LongNode>> long_;
};

}  // namespace tw
