// A numeric target: a cell is weight, sum and sum of squares, in integers. One-way analysis of variance: an F test of
// the groups' means. The sums of squares around the means come from exact differences, so that no digit is lost where
// the spread is small beside the values, and "no spread at all" is known for sure.
#pragma once

#include <cstdint>  // for int64_t
#include <vector>   // for vector

#include "grow/chaid/cells.hpp"

namespace tw::chaid {

struct NumberCell {
  std::int64_t weight = 0;        // below 2^51
  std::int64_t sum = 0;           // of weight × value, below 2^62 either way
  unsigned __int128 squares = 0;  // of weight × value²

  NumberCell& operator+=(const NumberCell& other) {
    weight += other.weight, sum += other.sum, squares += other.squares;
    return *this;
  }
  bool has_spread() const;
  double spread() const;  // sum of squares around the mean
};

class NumberCells : public Cells {
 public:
  // weight_unit: the weight of one unit of a cell's weight. The unit of the values has no influence.
  NumberCells(std::vector<NumberCell> cells, double weight_unit)
      : cells_(std::move(cells)), weight_unit_(weight_unit) {}

  void clear(Slot slot) override { cells_[slot] = {}; }
  void add(Slot to, Slot from) override { cells_[to] += cells_[from]; }
  double weight(Slot slot) const override { return double(cells_[slot].weight) * weight_unit_; }
  double rate(Slot slot) const override { return double(cells_[slot].sum) / double(cells_[slot].weight); }
  Answer compare(std::span<const Slot> slots) const override;
  Answer pair_statistic(Slot a, Slot b) const override;
  void finish(Answer& answer) const override;

 private:
  std::vector<NumberCell> cells_;
  double weight_unit_;
};

}  // namespace tw::chaid
