// A nominal target: a cell is the weight of each class. Pearson's chi-square or the likelihood ratio.
#pragma once

#include <vector>  // for vector

#include "grow/chaid/cells.hpp"

namespace tw::chaid {

class ClassCells : public Cells {
 public:
  // counts: n_slots rows of n_classes weights; the last rows may be empty, for sums to come.
  ClassCells(std::vector<double> counts, std::uint32_t n_classes, bool likelihood)
      : counts_(std::move(counts)), classes_(n_classes), likelihood_(likelihood) {}

  void clear(Slot slot) override;
  void add(Slot to, Slot from) override;
  double weight(Slot slot) const override;
  double rate(Slot slot) const override { return row(slot)[0] / weight(slot); }
  Answer compare(std::span<const Slot> slots) const override;
  Answer pair_statistic(Slot a, Slot b) const override;
  void finish(Answer& answer) const override;

 protected:
  const double* row(Slot slot) const { return counts_.data() + std::size_t(slot) * classes_; }
  std::vector<double> class_totals(std::span<const Slot> slots) const;

  std::vector<double> counts_;
  std::uint32_t classes_;
  bool likelihood_;
};

}  // namespace tw::chaid
