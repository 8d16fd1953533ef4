#include "grow/tables/chaid/row_effects.hpp"

#include <algorithm>  // for count_if, max, max_element, min_element, none_of
#include <cmath>      // for abs, exp, log, sqrt
#include <cstddef>    // for size_t

#include "grow/tables/chaid/sampled_cells.hpp"

namespace tw::chaid {
namespace {

// The share of class j in group i is proportional to exp(b_j + g_i s_j). Adding a constant to b, or a multiple of the
// scores while g falls by it, changes nothing: b of the first and of the last class stay 0. The likelihood is concave
// in b and g, so Newton's steps climb it. Where its top lies at infinity (a group at one end of the scale) every step
// takes away most of what is left, and the statistic converges all the same.
class Fit {
 public:
  Fit(const std::vector<double>& counts, const std::vector<double>& scores, const std::vector<double>& log_rates)
      : n_(counts), s_(scores), log_rates_(log_rates), classes_(scores.size()), groups_(counts.size() / scores.size()),
        inner_(classes_ - 2) {
    totals_.assign(groups_, 0);
    for (std::size_t i = 0; i < groups_; ++i)
      for (std::size_t j = 0; j < classes_; ++j) totals_[i] += n_[i * classes_ + j];
    b_.assign(classes_, 0);
    g_.assign(groups_, 0);
    log_share_.assign(counts.size(), 0);
  }

  // The logarithm of the share of each class in each group.
  const std::vector<double>& log_shares() {
    double reached = spread();
    for (int round = 0; round < 300; ++round) {
      const double before = reached;
      step();
      reached = climb(before);
      if (std::abs(reached - before) < 1e-14 * std::max(1.0, std::abs(reached))) break;
    }
    return log_share_;
  }

 private:
  // Shares from b and g; gives the logarithm of the likelihood.
  double spread() {
    double sum = 0;
    for (std::size_t i = 0; i < groups_; ++i) {
      double* logs = log_share_.data() + i * classes_;
      for (std::size_t j = 0; j < classes_; ++j) logs[j] = b_[j] + g_[i] * s_[j] + log_rates_[i * classes_ + j];
      const double top = *std::max_element(logs, logs + classes_);
      double whole = 0;
      for (std::size_t j = 0; j < classes_; ++j) whole += std::exp(logs[j] - top);
      const double shift = top + std::log(whole);
      for (std::size_t j = 0; j < classes_; ++j) {
        logs[j] -= shift;
        if (n_[i * classes_ + j] > 0) sum += n_[i * classes_ + j] * logs[j];
      }
    }
    return sum;
  }

  // Newton's step: the groups' part of the second derivatives is diagonal, so it is eliminated first.
  void step() {
    slope_.assign(inner_, 0);
    bend_.assign(inner_ * inner_, 0);
    cross_.assign(groups_ * inner_, 0);
    group_slope_.assign(groups_, 0);
    group_bend_.assign(groups_, 0);
    for (std::size_t i = 0; i < groups_; ++i) add_group(i);
    solve();
    dg_.assign(groups_, 0);
    for (std::size_t i = 0; i < groups_; ++i) {
      if (!(group_bend_[i] > 0)) continue;
      double rest = group_slope_[i];
      for (std::size_t j = 0; j < inner_; ++j) rest -= cross_[i * inner_ + j] * slope_[j];
      dg_[i] = rest / group_bend_[i];
    }
  }

  void add_group(std::size_t i) {
    const double* logs = log_share_.data() + i * classes_;
    double centre = 0;
    for (std::size_t j = 0; j < classes_; ++j) centre += std::exp(logs[j]) * s_[j];
    for (std::size_t j = 0; j < classes_; ++j) {
      const double off = s_[j] - centre;
      group_slope_[i] += n_[i * classes_ + j] * off;
      group_bend_[i] += totals_[i] * std::exp(logs[j]) * off * off;
    }
    double* cross = cross_.data() + i * inner_;
    for (std::size_t j = 0; j < inner_; ++j) {
      const double share = std::exp(logs[j + 1]);
      cross[j] = totals_[i] * share * (s_[j + 1] - centre);
      slope_[j] += n_[i * classes_ + j + 1] - totals_[i] * share;
      for (std::size_t k = 0; k < inner_; ++k)
        bend_[j * inner_ + k] += totals_[i] * share * ((j == k ? 1.0 : 0.0) - std::exp(logs[k + 1]));
    }
    if (!(group_bend_[i] > 0)) return;
    for (std::size_t j = 0; j < inner_; ++j) {
      slope_[j] -= cross[j] * group_slope_[i] / group_bend_[i];
      for (std::size_t k = 0; k < inner_; ++k) bend_[j * inner_ + k] -= cross[j] * cross[k] / group_bend_[i];
    }
  }

  // Cholesky; slope_ becomes the step of the inner classes. A direction without any bend is not walked.
  void solve() {
    double largest = 0;
    for (std::size_t j = 0; j < inner_; ++j) largest = std::max(largest, bend_[j * inner_ + j]);
    const double least = largest * 1e-13;
    for (std::size_t j = 0; j < inner_; ++j) {
      double* of_j = bend_.data() + j * inner_;
      for (std::size_t k = 0; k <= j; ++k) {
        const double* of_k = bend_.data() + k * inner_;
        double sum = of_j[k];
        for (std::size_t m = 0; m < k; ++m) sum -= of_j[m] * of_k[m];
        if (k < j) of_j[k] = of_k[k] > 0 ? sum / of_k[k] : 0;
        if (k == j) of_j[k] = sum > least ? std::sqrt(sum) : 0;
      }
    }
    for (std::size_t j = 0; j < inner_; ++j) {
      for (std::size_t k = 0; k < j; ++k) slope_[j] -= bend_[j * inner_ + k] * slope_[k];
      slope_[j] = bend_[j * inner_ + j] > 0 ? slope_[j] / bend_[j * inner_ + j] : 0;
    }
    for (std::size_t j = inner_; j-- > 0;) {
      for (std::size_t k = j + 1; k < inner_; ++k) slope_[j] -= bend_[k * inner_ + j] * slope_[k];
      slope_[j] = bend_[j * inner_ + j] > 0 ? slope_[j] / bend_[j * inner_ + j] : 0;
    }
  }

  // Walks the step, or half of it, a quarter, … until the likelihood does not fall; gives what is reached.
  double climb(double before) {
    const std::vector<double> b = b_, g = g_;
    double length = 1;
    for (int halvings = 0; halvings < 60; ++halvings, length /= 2) {
      for (std::size_t j = 0; j < inner_; ++j) b_[j + 1] = b[j + 1] + length * slope_[j];
      for (std::size_t i = 0; i < groups_; ++i) g_[i] = g[i] + length * dg_[i];
      const double reached = spread();
      if (reached >= before - 1e-12 * std::abs(before)) return reached;
    }
    b_ = b, g_ = g;
    return spread();
  }

  const std::vector<double>&n_, &s_, &log_rates_;
  std::size_t classes_, groups_, inner_;
  std::vector<double> totals_, b_, g_, dg_, log_share_, slope_, bend_, cross_, group_slope_, group_bend_;
};

// A group whose rows all are at one end of the scale is fitted exactly by a slope without bound, whatever b is, and
// says nothing about the others. Such groups are put aside, then the classes that only they had, until none is left.
struct Kept {
  std::vector<std::size_t> groups, classes;
};

Kept without_ends(const std::vector<double>& n, const std::vector<double>& scores) {
  const std::size_t classes = scores.size();
  auto lower = [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; };
  Kept kept;
  for (std::size_t i = 0; i < n.size() / classes; ++i) kept.groups.push_back(i);
  for (std::size_t j = 0; j < classes; ++j) kept.classes.push_back(j);
  for (bool changed = true; changed && !kept.groups.empty();) {
    const std::size_t low = *std::min_element(kept.classes.begin(), kept.classes.end(), lower);
    const std::size_t high = *std::max_element(kept.classes.begin(), kept.classes.end(), lower);
    auto has = [&](std::size_t i, std::size_t j) { return n[i * classes + j] > 0; };
    auto is_at_an_end = [&](std::size_t i) {
      const auto present = std::count_if(kept.classes.begin(), kept.classes.end(), [&](auto j) { return has(i, j); });
      return present == 1 && (has(i, low) || has(i, high));
    };
    auto is_gone = [&](std::size_t j) {
      return std::none_of(kept.groups.begin(), kept.groups.end(), [&](std::size_t i) { return has(i, j); });
    };
    changed = std::erase_if(kept.groups, is_at_an_end) > 0;
    std::erase_if(kept.classes, is_gone);
  }
  return kept;
}

// The logarithms of the fitted shares of the groups and classes that are left. With one group, or with two classes, the
// model has room for every share.
std::vector<double> fitted(const std::vector<double>& counts, const std::vector<double>& scores,
                           const std::vector<double>& log_rates) {
  const std::size_t classes = scores.size(), groups = counts.size() / classes;
  if (groups > 1 && classes > 2) return Fit(counts, scores, log_rates).log_shares();
  std::vector<double> logs(counts.size());
  for (std::size_t i = 0; i < groups; ++i) {
    double total = 0;
    for (std::size_t j = 0; j < classes; ++j) total += counts[i * classes + j];
    for (std::size_t j = 0; j < classes; ++j) logs[i * classes + j] = std::log(counts[i * classes + j] / total);
  }
  return logs;
}

// The logarithm of the share of each class in each group if groups and classes were independent.
std::vector<double> independent_shares(const std::vector<double>& counts, std::size_t classes,
                                       const std::vector<double>& rates) {
  std::vector<double> shares(counts.size(), 0), of_class(classes, 0), of_group(counts.size() / classes, 0);
  double all = 0;
  for (std::size_t c = 0; c < counts.size(); ++c)
    all += counts[c], of_class[c % classes] += counts[c], of_group[c / classes] += counts[c];
  if (rates.empty()) {
    for (std::size_t c = 0; c < shares.size(); ++c) shares[c] = std::log(of_class[c % classes] / all);
    return shares;
  }
  const std::vector<double> expected = expected_counts(counts, rates, classes);
  for (std::size_t c = 0; c < shares.size(); ++c) shares[c] = std::log(expected[c] / of_group[c / classes]);
  return shares;
}

}  // namespace

double row_effects_statistic(const std::vector<double>& counts, const std::vector<double>& scores,
                             const std::vector<double>& rates) {
  const std::size_t classes = scores.size();
  const std::vector<double> independent = independent_shares(counts, classes, rates);
  const Kept kept = without_ends(counts, scores);
  std::vector<double> kept_counts, kept_scores, kept_rates, kept_independent;
  double centre = 0;
  for (const std::size_t i : kept.groups)
    for (const std::size_t j : kept.classes) {
      kept_counts.push_back(counts[i * classes + j]);
      kept_rates.push_back(rates.empty() ? 0 : std::log(rates[i * classes + j]));
      kept_independent.push_back(independent[i * classes + j]);
    }
  for (const std::size_t j : kept.classes) centre += scores[j] / double(kept.classes.size());
  for (const std::size_t j : kept.classes)
    kept_scores.push_back(scores[j] - centre);  // shorter numbers in the exponents
  // Part by part: the difference of two large sums would lose its digits.
  double sum = 0;
  if (!kept.groups.empty()) {
    const std::vector<double> logs = fitted(kept_counts, kept_scores, kept_rates);
    for (std::size_t c = 0; c < logs.size(); ++c)
      if (kept_counts[c] > 0) sum += kept_counts[c] * (logs[c] - kept_independent[c]);
  }
  std::vector<bool> is_kept(counts.size() / classes, false);
  for (const std::size_t i : kept.groups) is_kept[i] = true;
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] > 0 && !is_kept[c / classes]) sum -= counts[c] * independent[c];  // certain of their class
  return std::max(0.0, 2 * sum);
}

}  // namespace tw::chaid
