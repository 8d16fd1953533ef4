// BinaryCuts: two branches a node, as CART, where rows may be spread over them or columns are ranked by gain ratio.
// (CART's usual choices have the faster engine of grow_binary.cpp; both find the same splits.)
#pragma once

#include "grow/tables/splitter.hpp"

namespace tw {

class BinaryCuts : public Splitter {
 public:
  explicit BinaryCuts(const Recipe& recipe);

  void look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const override;
  Decision choose(const NodeView& node, std::span<Found> found, Counter& counter) const override;
  bool may_spread() const override { return missing_ == Missing::spreads; }

 private:
  enum class Missing { left_or_right, heavier, spreads };

  Missing missing_;
  bool by_ratio_;  // columns are ranked by gain ratio among those of at least average gain
};

}  // namespace tw
