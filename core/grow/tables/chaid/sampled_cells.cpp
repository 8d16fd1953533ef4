#include "grow/tables/chaid/sampled_cells.hpp"

#include <algorithm>  // for fill_n, max
#include <array>      // for array
#include <cmath>      // for abs, log
#include <numeric>    // for accumulate

#include "base/tails.hpp"
#include "grow/tables/chaid/row_effects.hpp"

namespace tw::chaid {
namespace {

constexpr int kMostRounds = 10'000;
constexpr double kEnough = 1e-14;  // of all rows: a round that moves no cell by more was the last

// The compared groups without the classes that none of them has.
struct Part {
  std::vector<std::uint32_t> present;
  std::vector<double> counts, rates;  // rates: one by the mean weight
  double all = 0;
};

}  // namespace

void SampledCells::clear(Slot slot) {
  std::fill_n(rows_.begin() + std::ptrdiff_t(slot) * classes_, classes_, 0.0);
  std::fill_n(weights_.begin() + std::ptrdiff_t(slot) * classes_, classes_, 0.0);
}

void SampledCells::add(Slot to, Slot from) {
  for (std::uint32_t k = 0; k < classes_; ++k) {
    rows_[std::size_t(to) * classes_ + k] += rows_[std::size_t(from) * classes_ + k];
    weights_[std::size_t(to) * classes_ + k] += weights_[std::size_t(from) * classes_ + k];
  }
}

double SampledCells::weight(Slot slot) const {
  const double* row = rows_.data() + std::size_t(slot) * classes_;
  return std::accumulate(row, row + classes_, 0.0);
}

double SampledCells::rate(Slot slot) const {
  const double* weights = weights_.data() + std::size_t(slot) * classes_;
  const double whole = std::accumulate(weights, weights + classes_, 0.0);
  if (scores_.empty()) return weights[0] / whole;
  return std::inner_product(weights, weights + classes_, scores_.begin(), 0.0) / whole;
}

Answer SampledCells::compare(std::span<const Slot> slots) const {
  Answer answer = statistic(slots);
  if (answer.df > 0) finish(answer);
  return answer;
}

Answer SampledCells::pair_statistic(Slot a, Slot b) const { return statistic(std::array{a, b}); }

void SampledCells::finish(Answer& answer) const { answer.log_p = log_chi_square_tail(answer.statistic, answer.df); }

Answer SampledCells::statistic(std::span<const Slot> slots) const {
  std::vector<double> class_rows(classes_, 0), class_weights(classes_, 0);
  for (const Slot slot : slots)
    for (std::uint32_t k = 0; k < classes_; ++k) {
      class_rows[k] += rows_[std::size_t(slot) * classes_ + k];
      class_weights[k] += weights_[std::size_t(slot) * classes_ + k];
    }
  Part part;
  for (std::uint32_t k = 0; k < classes_; ++k)
    if (class_rows[k] > 0) part.present.push_back(k), part.all += class_rows[k];
  if (slots.size() < 2 || part.present.size() < 2) return {};
  for (const Slot slot : slots)
    for (const std::uint32_t k : part.present) {
      const std::size_t cell = std::size_t(slot) * classes_ + k;
      part.counts.push_back(rows_[cell]);
      part.rates.push_back(rows_[cell] > 0 ? rows_[cell] / weights_[cell] : class_rows[k] / class_weights[k]);
    }
  Answer answer;
  if (!scores_.empty()) {
    std::vector<double> scores;
    for (const std::uint32_t k : part.present) scores.push_back(scores_[k]);
    answer.df = double(slots.size() - 1);
    answer.statistic = row_effects_statistic(part.counts, scores, part.rates);
  } else {
    answer.df = double(slots.size() - 1) * double(part.present.size() - 1);
    const std::vector<double> expected = expected_counts(part.counts, part.rates, part.present.size());
    for (std::size_t c = 0; c < expected.size(); ++c) {
      const double n = part.counts[c], m = expected[c];
      answer.statistic += likelihood_ ? (n > 0 ? 2 * n * std::log(n / m) : 0) : (n - m) * (n - m) / m;
    }
  }
  answer.statistic = without_rounding(answer.statistic, part.all);
  return answer;
}

std::vector<double> expected_counts(const std::vector<double>& counts, const std::vector<double>& rates,
                                    std::size_t classes) {
  const std::size_t groups = counts.size() / classes;
  std::vector<double> of_group(groups, 0), of_class(classes, 0), beta(classes, 1), fitted = rates;
  for (std::size_t c = 0; c < counts.size(); ++c)
    of_group[c / classes] += counts[c], of_class[c % classes] += counts[c];
  const double all = std::accumulate(of_class.begin(), of_class.end(), 0.0);
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<double> alpha(groups, 0), sums(classes, 0);
    for (std::size_t i = 0; i < groups; ++i) {
      for (std::size_t j = 0; j < classes; ++j) alpha[i] += rates[i * classes + j] * beta[j];
      alpha[i] = of_group[i] / alpha[i];
      for (std::size_t j = 0; j < classes; ++j) sums[j] += rates[i * classes + j] * alpha[i];
    }
    for (std::size_t j = 0; j < classes; ++j) beta[j] = of_class[j] / sums[j];
    double farthest = 0;
    for (std::size_t c = 0; c < fitted.size(); ++c) {
      const double next = rates[c] * alpha[c / classes] * beta[c % classes];
      farthest = std::max(farthest, std::abs(next - fitted[c]));
      fitted[c] = next;
    }
    if (farthest <= kEnough * all) break;
  }
  return fitted;
}

}  // namespace tw::chaid
