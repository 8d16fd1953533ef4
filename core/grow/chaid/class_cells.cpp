#include "grow/chaid/class_cells.hpp"

#include <algorithm>  // for count_if, fill_n
#include <cmath>      // for log
#include <numeric>    // for accumulate

#include "base/tails.hpp"

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

}  // namespace tw::chaid
