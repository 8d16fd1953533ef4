#include "grow/chaid/number_cells.hpp"

#include <array>   // for array
#include <limits>  // for numeric_limits

#include "base/tails.hpp"

namespace tw::chaid {
namespace {

struct Division {
  unsigned __int128 whole;
  std::int64_t rest;
};

Division square_by_weight(const NumberCell& cell) {
  const auto size = static_cast<unsigned __int128>(cell.sum < 0 ? -cell.sum : cell.sum);
  const auto weight = static_cast<unsigned __int128>(cell.weight);
  return {size * size / weight, static_cast<std::int64_t>(size * size % weight)};
}

}  // namespace

bool NumberCell::has_spread() const {
  const Division division = square_by_weight(*this);
  return division.rest != 0 || division.whole != squares;
}

double NumberCell::spread() const {
  const Division division = square_by_weight(*this);
  return double(squares - division.whole) - double(division.rest) / double(weight);
}

Answer NumberCells::compare(std::span<const Slot> slots) const {
  NumberCell all;
  for (const Slot slot : slots) all += cells_[slot];
  Answer answer;
  answer.df = double(slots.size()) - 1;
  answer.df_within = double(all.weight) * weight_unit_ - double(slots.size());
  if (answer.df < 1 || !(answer.df_within > 0)) return {};  // no spread to compare the means with
  double within = 0, between = 0;
  for (const Slot slot : slots) {
    const NumberCell& cell = cells_[slot];
    if (cell.has_spread()) within += cell.spread();
    const auto off =
        double(static_cast<__int128>(cell.sum) * all.weight - static_cast<__int128>(all.sum) * cell.weight);
    between += off / double(cell.weight) * (off / double(all.weight)) / double(all.weight);
  }
  if (between > 0) answer.statistic = between / answer.df / (within / answer.df_within);  // infinite without spread
  finish(answer);
  return answer;
}

Answer NumberCells::pair_statistic(Slot a, Slot b) const {
  const NumberCell &one = cells_[a], &two = cells_[b];
  const double weight = double(one.weight + two.weight);
  Answer answer;
  answer.df = 1;
  answer.df_within = weight * weight_unit_ - 2;
  if (!(answer.df_within > 0)) return {};
  const auto off = double(static_cast<__int128>(one.sum) * two.weight - static_cast<__int128>(two.sum) * one.weight);
  const double within = (one.has_spread() ? one.spread() : 0) + (two.has_spread() ? two.spread() : 0);
  const double between = off / double(one.weight) * (off / double(two.weight)) / weight;
  if (between > 0) answer.statistic = between / (within / answer.df_within);
  return answer;
}

void NumberCells::finish(Answer& answer) const {
  answer.log_p = log_f_tail(answer.statistic, answer.df, answer.df_within);
}

}  // namespace tw::chaid
