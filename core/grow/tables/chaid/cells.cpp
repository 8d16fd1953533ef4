#include "grow/tables/chaid/cells.hpp"

#include <algorithm>  // for count_if, fill_n
#include <array>      // for array
#include <cmath>      // for log
#include <numeric>    // for accumulate

#include "base/tails.hpp"
#include "grow/tables/chaid/row_effects.hpp"

namespace tw::chaid {

namespace {

// One cell's part of the statistic, where `expected` is what independence of groups and classes would put there.
double part_of(double observed, double expected, bool likelihood) {
  if (likelihood) return observed > 0 ? 2 * observed * std::log(observed / expected) : 0;
  const double off = observed - expected;
  return off * off / expected;
}

}  // namespace

void ClassCells::clear(Slot slot) { std::fill_n(counts_.begin() + std::ptrdiff_t(slot) * classes_, classes_, 0.0); }

void ClassCells::add(Slot to, Slot from) {
  double* target = counts_.data() + std::size_t(to) * classes_;
  const double* source = row(from);
  for (std::uint32_t k = 0; k < classes_; ++k) target[k] += source[k];
}

double ClassCells::weight(Slot slot) const { return std::accumulate(row(slot), row(slot) + classes_, 0.0); }

std::vector<double> ClassCells::class_totals(std::span<const Slot> slots) const {
  std::vector<double> totals(classes_, 0.0);
  for (const Slot slot : slots)
    for (std::uint32_t k = 0; k < classes_; ++k) totals[k] += row(slot)[k];
  return totals;
}

Answer ClassCells::compare(std::span<const Slot> slots) const {
  const std::vector<double> totals = class_totals(slots);
  const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
  const auto present = std::count_if(totals.begin(), totals.end(), [](double t) { return t > 0; });
  if (slots.size() < 2 || present < 2) return {};
  Answer answer;
  answer.df = double(slots.size() - 1) * double(present - 1);
  for (const Slot slot : slots) {
    const double share = weight(slot) / all;
    for (std::uint32_t k = 0; k < classes_; ++k)
      if (totals[k] > 0) answer.statistic += part_of(row(slot)[k], share * totals[k], likelihood_);
  }
  answer.statistic = without_rounding(answer.statistic, all);
  finish(answer);
  return answer;
}

// Two groups: Pearson's statistic is the sum of (a_k B − b_k A)² / (a_k + b_k) by A B, where A and B are their weights.
Answer ClassCells::pair_statistic(Slot a, Slot b) const {
  const double *of_a = row(a), *of_b = row(b);
  const double weight_a = weight(a), weight_b = weight(b), both = weight_a + weight_b;
  double sum = 0;
  int present = 0;
  for (std::uint32_t k = 0; k < classes_; ++k) {
    const double total = of_a[k] + of_b[k];
    if (!(total > 0)) continue;
    ++present;
    if (likelihood_) {
      sum += part_of(of_a[k], weight_a / both * total, true) + part_of(of_b[k], weight_b / both * total, true);
    } else {
      const double off = of_a[k] * weight_b - of_b[k] * weight_a;
      sum += off * off / total;
    }
  }
  if (present < 2) return {};
  Answer answer;
  answer.df = present - 1;
  answer.statistic = without_rounding(likelihood_ ? sum : sum / weight_a / weight_b, both);
  return answer;
}

void ClassCells::finish(Answer& answer) const { answer.log_p = log_chi_square_tail(answer.statistic, answer.df); }

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
