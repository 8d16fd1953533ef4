#include "grow/chaid/number_cells.hpp"

#include "base/tails.hpp"

namespace tw::chaid {
namespace {

// The difference of two means. Whole parts are subtracted as integers, so that equal means differ by exactly 0.
double difference(const NumberSum& a, const NumberSum& b) {
  const __int128 whole = a.first / a.weight - b.first / b.weight;
  const double rest_a = double(a.first % a.weight) / double(a.weight);
  const double rest_b = double(b.first % b.weight) / double(b.weight);
  return double(whole) + (rest_a - rest_b);
}

}  // namespace

Answer NumberCells::compare(std::span<const Slot> slots) const {
  NumberSum all;
  double n_rows = 0;
  for (const Slot slot : slots) all += cells_[slot], n_rows += weight(slot);
  Answer answer;
  answer.df = double(slots.size()) - 1;
  answer.df_within = n_rows - double(slots.size());
  if (answer.df < 1 || !(answer.df_within > 0)) return {};  // no spread to compare the means with
  double within = 0, between = 0;
  for (const Slot slot : slots) {
    const double off = difference(cells_[slot], all);
    within += cells_[slot].spread();
    between += double(cells_[slot].weight) * off * off;
  }
  if (between > 0) answer.statistic = between / answer.df / (within / answer.df_within);  // infinite without spread
  finish(answer);
  return answer;
}

Answer NumberCells::pair_statistic(Slot a, Slot b) const {
  const NumberSum &one = cells_[a], &two = cells_[b];
  Answer answer;
  answer.df = 1;
  answer.df_within = weight(a) + weight(b) - 2;
  if (!(answer.df_within > 0)) return {};
  const double off = difference(one, two), within = one.spread() + two.spread();
  const double both = double(one.weight + two.weight);
  const double between = double(one.weight) * (double(two.weight) / both) * off * off;
  if (between > 0) answer.statistic = between / (within / answer.df_within);
  return answer;
}

void NumberCells::finish(Answer& answer) const {
  answer.log_p = log_f_tail(answer.statistic, answer.df, answer.df_within);
}

}  // namespace tw::chaid
