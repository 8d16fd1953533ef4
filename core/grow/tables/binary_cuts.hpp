// BinaryCuts: two branches a node, as CART, where rows may be spread over them or columns are ranked by gain ratio.
// (CART's usual choices have the faster engine of grow_binary.cpp; both find the same splits.)
// A split of a column that may only raise or only lower the answer must keep its branches in that order and inside the
// bounds of the node; the middle of the two answers bounds what is below. Splits of other columns are free, and a node
// whose own answer is out of its bounds answers the nearer one. So no row is answered against the order.
#pragma once

#include "grow/tables/splitter.hpp"

namespace tw {

class BinaryCuts : public Splitter {
 public:
  explicit BinaryCuts(const Recipe& recipe);

  void look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const override;
  Decision choose(const NodeView& node, std::span<Found> found, Counter& counter) const override;
  bool may_spread() const override { return missing_ == Missing::spreads; }
  Bounds bounds_of(const NodeView& node, const Split& split, std::span<const Sums> branches,
                   std::size_t branch) const override;

 private:
  enum class Missing { left_or_right, heavier, spreads };

  Missing missing_;
  bool by_ratio_;             // columns are ranked by gain ratio among those of at least average gain
  std::vector<double> ways_;  // of each column: 1, its rise may only raise the answer; -1, only lower it; 0. Or empty
};

}  // namespace tw
