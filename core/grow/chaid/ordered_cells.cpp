#include "grow/chaid/ordered_cells.hpp"

#include <array>    // for array
#include <numeric>  // for accumulate

#include "grow/chaid/row_effects.hpp"

namespace tw::chaid {

double OrderedCells::rate(Slot slot) const {
  double sum = 0;
  for (std::uint32_t k = 0; k < classes_; ++k) sum += row(slot)[k] * scores_[k];
  return sum / weight(slot);
}

Answer OrderedCells::compare(std::span<const Slot> slots) const {
  const std::vector<double> totals = class_totals(slots);
  std::vector<std::uint32_t> present;
  for (std::uint32_t k = 0; k < classes_; ++k)
    if (totals[k] > 0) present.push_back(k);
  if (slots.size() < 2 || present.size() < 2) return {};
  Answer answer;
  answer.df = double(slots.size() - 1);
  const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
  answer.statistic = without_rounding(statistic(slots, present), all);
  finish(answer);
  return answer;
}

Answer OrderedCells::pair_statistic(Slot a, Slot b) const { return compare(std::array{a, b}); }

double OrderedCells::statistic(std::span<const Slot> slots, const std::vector<std::uint32_t>& present) const {
  std::vector<double> counts, scores;
  counts.reserve(slots.size() * present.size());
  for (const Slot slot : slots)
    for (const auto k : present) counts.push_back(row(slot)[k]);
  for (const auto k : present) scores.push_back(scores_[k]);
  return row_effects_statistic(counts, scores);
}

}  // namespace tw::chaid
