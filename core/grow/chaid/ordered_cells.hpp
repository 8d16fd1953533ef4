// An ordinal target: the row-effects model m_ij = α_i β_j γ_i^s_j (Goodman 1979) against independence. Groups differ if
// one leans more to the upper end of the scale than another; one degree of freedom a group but the first.
#pragma once

#include <vector>  // for vector

#include "grow/chaid/class_cells.hpp"

namespace tw::chaid {

class OrderedCells : public ClassCells {
 public:
  // scores: one a class, all different.
  OrderedCells(std::vector<double> counts, std::vector<double> scores)
      : ClassCells(std::move(counts), static_cast<std::uint32_t>(scores.size()), true), scores_(std::move(scores)) {}

  double rate(Slot slot) const override;  // the mean score
  Answer compare(std::span<const Slot> slots) const override;
  Answer pair_statistic(Slot a, Slot b) const override;

 private:
  double statistic(std::span<const Slot> slots, const std::vector<std::uint32_t>& present) const;

  std::vector<double> scores_;
};

}  // namespace tw::chaid
