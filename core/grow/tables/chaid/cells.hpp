// Answer: what a test of groups says; and the order of answers.
#pragma once

#include <cmath>    // for abs, log1p, nearbyint
#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "grow/tables/sums.hpp"

namespace tw::chaid {

struct Answer {
  double statistic = 0, df = 0, df_within = 0;  // df_within: of an F test, else 0
  double log_p = 0;                             // natural logarithm; nothing to compare: p = 1
};

// The place of a statistic or of a log p-value among others, coarse enough that rounding cannot tell equals apart:
// near zero steps of 2^-36, far away the same share of the value. Larger p-values have smaller ranks.
inline double rank_of(double number) { return std::nearbyint(std::log1p(std::abs(number)) * 0x1p36); }

// A statistic of counts that adds up to no more than rounding is none: at one degree of freedom a statistic of 1e-16
// has a p-value visibly below 1, and equal groups would be told apart by it. `weight` is that of all rows compared.
inline double without_rounding(double statistic, double weight) {
  return statistic < 1e-10 + 1e-15 * weight ? 0 : statistic;
}

// How alike two groups are: larger p, then smaller statistic. Sorted by what is most alike.
struct Likeness {
  double p_rank, statistic_rank;

  explicit Likeness(const Answer& answer) : p_rank(rank_of(answer.log_p)), statistic_rank(rank_of(answer.statistic)) {}
  bool operator<(const Likeness& other) const {
    return p_rank != other.p_rank ? p_rank < other.p_rank : statistic_rank < other.statistic_rank;
  }
};

// Cells: what a test knows about groups of rows. One cell a category at first; cells add up when groups merge.
// The kinds of target (nominal, ordinal, numeric) differ in what a cell holds and in how cells are compared.

using Slot = std::uint32_t;  // a cell's place

class Cells {
 public:
  virtual ~Cells() = default;

  Workers* workers = nullptr;  // hears Ctrl-C, where cells are compared by the thousand
  void checkpoint() const {
    if (workers) workers->checkpoint();
  }

  virtual void clear(Slot slot) = 0;
  virtual void add(Slot to, Slot from) = 0;
  virtual double weight(Slot slot) const = 0;
  // By what the levels of a wide column are put in order before they are divided in two.
  virtual double rate(Slot slot) const = 0;

  // Is the target distributed alike in these groups?
  virtual Answer compare(std::span<const Slot> slots) const = 0;

  // The same of two groups, without the p-value: statistics come cheap, tails do not. finish() adds it.
  virtual Answer pair_statistic(Slot a, Slot b) const = 0;
  virtual void finish(Answer& answer) const = 0;

  Answer compare_pair(Slot a, Slot b) const {
    Answer answer = pair_statistic(a, b);
    finish(answer);
    return answer;
  }
};

// A nominal target: a cell is the weight of each class. Pearson's chi-square or the likelihood ratio.

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

// A numeric target: a cell is weight, sum and sum of squares, in integers. One-way analysis of variance: an F test of
// the groups' means. Integers tell for sure whether there is any spread inside the groups, and any difference between
// them.

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

// An ordinal target: the row-effects model m_ij = α_i β_j γ_i^s_j (Goodman 1979) against independence. Groups differ if
// one leans more to the upper end of the scale than another; one degree of freedom a group but the first.

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
