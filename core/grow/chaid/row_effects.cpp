#include "grow/chaid/row_effects.hpp"

#include <algorithm>  // for max, max_element
#include <cmath>      // for abs, exp, log, sqrt
#include <cstddef>    // for size_t

namespace tw::chaid {
namespace {

// The share of class j in group i is proportional to exp(b_j + g_i s_j). Adding a constant to b, or a multiple of the
// scores while g falls by it, changes nothing: b of the first and of the last class stay 0. The likelihood is concave
// in b and g, so Newton's steps climb it. Where its top lies at infinity (a group at one end of the scale) every step
// takes away most of what is left, and the statistic converges all the same.
class Fit {
 public:
  Fit(const std::vector<double>& counts, const std::vector<double>& scores)
      : n_(counts), s_(scores), classes_(scores.size()), groups_(counts.size() / scores.size()), inner_(classes_ - 2) {
    totals_.assign(groups_, 0);
    for (std::size_t i = 0; i < groups_; ++i)
      for (std::size_t j = 0; j < classes_; ++j) totals_[i] += n_[i * classes_ + j];
    b_.assign(classes_, 0);
    g_.assign(groups_, 0);
    log_share_.assign(counts.size(), 0);
  }

  double statistic() {
    double reached = spread();
    for (int round = 0; round < 300; ++round) {
      const double before = reached;
      step();
      reached = climb(before);
      if (std::abs(reached - before) < 1e-14 * std::max(1.0, std::abs(reached))) break;
    }
    return std::max(0.0, 2 * ratio());
  }

 private:
  // Shares from b and g; gives the logarithm of the likelihood.
  double spread() {
    double sum = 0;
    for (std::size_t i = 0; i < groups_; ++i) {
      double* logs = log_share_.data() + i * classes_;
      for (std::size_t j = 0; j < classes_; ++j) logs[j] = b_[j] + g_[i] * s_[j];
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

  // The logarithm of the likelihood ratio, part by part: small differences of large sums would lose their digits.
  double ratio() const {
    double all = 0, sum = 0;
    std::vector<double> by_class(classes_, 0);
    for (std::size_t c = 0; c < n_.size(); ++c) all += n_[c], by_class[c % classes_] += n_[c];
    for (std::size_t c = 0; c < n_.size(); ++c)
      if (n_[c] > 0) sum += n_[c] * (log_share_[c] - std::log(by_class[c % classes_] / all));
    return sum;
  }

  const std::vector<double>&n_, &s_;
  std::size_t classes_, groups_, inner_;
  std::vector<double> totals_, b_, g_, dg_, log_share_, slope_, bend_, cross_, group_slope_, group_bend_;
};

}  // namespace

double row_effects_statistic(const std::vector<double>& counts, const std::vector<double>& scores) {
  double centre = 0;
  for (const double score : scores) centre += score / double(scores.size());
  std::vector<double> centred = scores;  // shorter numbers in the exponents; the model is the same
  for (double& score : centred) score -= centre;
  return Fit(counts, centred).statistic();
}

}  // namespace tw::chaid
