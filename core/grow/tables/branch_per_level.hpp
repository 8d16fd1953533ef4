// BranchPerLevel: ID3. Every level of the schema gets a branch, the column with the largest information gain is taken
// and not asked again below.
#pragma once

#include "grow/tables/splitter.hpp"

namespace tw {

class BranchPerLevel : public Splitter {
 public:
  explicit BranchPerLevel(const Options& options) : min_gain_(options.number("min_gain")) {}

  void look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const override;
  Decision choose(const NodeView& node, std::span<Found> found, Counter& counter) const override;

 private:
  double min_gain_;  // bits; a split that gains less is not made
};

}  // namespace tw
