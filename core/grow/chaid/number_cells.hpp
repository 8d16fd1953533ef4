// A numeric target: a cell is weight, sum and sum of squares, in integers. One-way analysis of variance: an F test of
// the groups' means. Integers tell for sure whether there is any spread inside the groups, and any difference between
// them.
#pragma once

#include <vector>  // for vector

#include "grow/chaid/cells.hpp"
#include "grow/tables/sums.hpp"

namespace tw::chaid {

class NumberCells : public Cells {
 public:
  // weight_unit: the weight of one unit of a cell's weight. The unit of the values has no influence.
  // rows: of each cell, where weights say how many others a row stands for; else none, and the weight is their number.
  NumberCells(std::vector<NumberSum> cells, double weight_unit, std::vector<double> rows = {})
      : cells_(std::move(cells)), weight_unit_(weight_unit), rows_(std::move(rows)) {}

  void clear(Slot slot) override {
    cells_[slot] = {};
    if (!rows_.empty()) rows_[slot] = 0;
  }
  void add(Slot to, Slot from) override {
    cells_[to] += cells_[from];
    if (!rows_.empty()) rows_[to] += rows_[from];
  }
  double weight(Slot slot) const override {
    return rows_.empty() ? double(cells_[slot].weight) * weight_unit_ : rows_[slot];
  }
  double rate(Slot slot) const override { return cells_[slot].mean(); }
  Answer compare(std::span<const Slot> slots) const override;
  Answer pair_statistic(Slot a, Slot b) const override;
  void finish(Answer& answer) const override;

 private:
  std::vector<NumberSum> cells_;
  double weight_unit_;
  std::vector<double> rows_;
};

}  // namespace tw::chaid
