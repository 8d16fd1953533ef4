// Cells of classes where weights say how many others a row stands for (a sample), not how often it occurred.
//
// Counts of rows are compared with what they would be if groups and classes were independent among all those that the
// rows stand for: m_ij = α_i β_j / w_ij, where w_ij is the mean weight of the rows of a cell, and α, β make the margins
// those of the rows (iterative proportional fitting). A cell without rows has the mean weight of its class.
#pragma once

#include <vector>  // for vector

#include "grow/tables/chaid/cells.hpp"

namespace tw::chaid {

class SampledCells : public Cells {
 public:
  // rows, weights: n_slots × n_classes; the last slots may be empty, for sums to come. scores: one a class where the
  // target has an order, else none.
  SampledCells(std::vector<double> rows, std::vector<double> weights, std::uint32_t n_classes,
               std::vector<double> scores, bool likelihood)
      : rows_(std::move(rows)), weights_(std::move(weights)), classes_(n_classes), scores_(std::move(scores)),
        likelihood_(likelihood) {}

  void clear(Slot slot) override;
  void add(Slot to, Slot from) override;
  double weight(Slot slot) const override;  // sizes are numbers of rows
  double rate(Slot slot) const override;    // among those that the rows stand for
  Answer compare(std::span<const Slot> slots) const override;
  Answer pair_statistic(Slot a, Slot b) const override;
  void finish(Answer& answer) const override;

 private:
  Answer statistic(std::span<const Slot> slots) const;

  std::vector<double> rows_, weights_;
  std::uint32_t classes_;
  std::vector<double> scores_;
  bool likelihood_;
};

// The table α_i β_j · rates_ij with the margins of `counts`; groups × classes, row by row. No margin is 0.
std::vector<double> expected_counts(const std::vector<double>& counts, const std::vector<double>& rates,
                                    std::size_t classes);

}  // namespace tw::chaid
