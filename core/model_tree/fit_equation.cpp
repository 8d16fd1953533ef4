#include "model_tree/fit_equation.hpp"

#include <cmath>   // for sqrt, isfinite, floor
#include <limits>  // for numeric_limits

namespace tw {
namespace {

constexpr double kAliased = 1e-8;          // a term of which the others leave less than this share adds nothing
constexpr double kQuanta = 68719476736.0;  // 2^36: shares are compared in these steps, so that rounding decides nothing

double quantised(double share) { return share > 0 ? std::floor(share * kQuanta + 0.5) / kQuanta : 0; }

// The correlations of the terms that are in, and the target's last, under the sweep operator (Beaton 1964): of a swept
// term the diagonal holds the inverse, the last column its coefficient, and the last corner what is left unexplained.
class Sweep {
 public:
  explicit Sweep(const NodeMoments& m) : n_(m.n + 1), unit_(m.n + 1), cell_(n_ * n_, 0), in_(m.n, false) {
    for (std::size_t j = 0; j < n_; ++j) unit_[j] = m.at(j, j) > 0 ? std::sqrt(m.at(j, j)) : 0;
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t k = 0; k < n_; ++k)
        if (unit_[j] > 0 && unit_[k] > 0) at(j, k) = j == k ? 1 : m.at(j, k) / unit_[j] / unit_[k];
  }

  // Takes in every term that the ones before it do not already say.
  void take_all() {
    for (std::size_t j = 0; j + 1 < n_; ++j)
      if (at(j, j) > kAliased) sweep(j);
  }

  // The term whose absence costs least, the last of equals. There is one.
  std::size_t weakest(double& rise) const {
    std::size_t best = n_ - 1;
    for (std::size_t j = 0; j + 1 < n_; ++j) {
      if (!in_[j]) continue;
      const double cost = quantised(at(j, n_ - 1) * at(j, n_ - 1) / -at(j, j));
      if (best == n_ - 1 || cost <= rise) best = j, rise = cost;
    }
    return best;
  }

  void drop(std::size_t j) { sweep(j); }
  bool has(std::size_t j) const { return in_[j]; }
  std::size_t n() const { return n_ - 1; }
  double unexplained() const { return quantised(at(n_ - 1, n_ - 1)); }
  double coefficient(std::size_t j) const { return at(j, n_ - 1) * unit_[n_ - 1] / unit_[j]; }

 private:
  double& at(std::size_t j, std::size_t k) { return cell_[j * n_ + k]; }
  double at(std::size_t j, std::size_t k) const { return cell_[j * n_ + k]; }

  // Into the equation, or out of it again.
  void sweep(std::size_t p) {
    const double pivot = at(p, p), sign = in_[p] ? -1 : 1;
    for (std::size_t j = 0; j < n_; ++j) {
      if (j == p) continue;
      const double factor = at(j, p) / pivot;
      for (std::size_t k = 0; k < n_; ++k)
        if (k != p) at(j, k) -= factor * at(p, k);
    }
    for (std::size_t j = 0; j < n_; ++j)
      if (j != p) at(j, p) *= sign / pivot, at(p, j) *= sign / pivot;
    at(p, p) = -1 / pivot;
    in_[p] = !in_[p];
  }

  std::size_t n_;
  std::vector<double> unit_, cell_;
  std::vector<bool> in_;
};

// Drops terms while the adjusted error does not rise.
void drop_terms(Sweep& sweep, double weight) {
  std::size_t left = 0;
  for (std::size_t j = 0; j < sweep.n(); ++j) left += sweep.has(j);
  double share = sweep.unexplained();
  while (left > 0) {
    double rise = 0;
    const std::size_t j = sweep.weakest(rise);
    const double now = adjusted_error(std::sqrt(share), weight, double(left + 1), 1);
    const double without = adjusted_error(std::sqrt(share + rise), weight, double(left), 1);
    if (!(without <= now)) break;
    sweep.drop(j);
    share = sweep.unexplained();
    --left;
  }
}

}  // namespace

double adjusted_error(double error, double weight, double v, double penalty) {
  if (weight <= v) return std::numeric_limits<double>::infinity();
  return error * (weight + penalty * v) / (weight - v);
}

Equation fit_equation(const NodeMoments& moments, const std::vector<std::int32_t>& terms, const Design& design,
                      double weight) {
  const FixedValues& y = design.of_target();
  Equation equation;
  const double mean = y.real(moments.mean[moments.n]);
  equation.intercept = mean;
  equation.error = std::sqrt(moments.of_target() / moments.weight);
  if (terms.empty() || !(moments.of_target() > 0)) return equation;
  Sweep sweep(moments);
  sweep.take_all();
  drop_terms(sweep, weight);
  const double error = equation.error * std::sqrt(sweep.unexplained());
  for (std::size_t j = 0; j < moments.n; ++j) {
    if (!sweep.has(j)) continue;
    const FixedValues& x = design.of_term(terms[j]);
    const double slope = sweep.coefficient(j) * (x.scale / y.scale);
    equation.terms.push_back(terms[j]);
    equation.coefficients.push_back(slope);
    equation.intercept -= slope * x.real(moments.mean[j]);
    if (!std::isfinite(slope) || !std::isfinite(equation.intercept))  // numbers too large for an equation
      return {{}, {}, mean, equation.error};
  }
  equation.error = error;
  return equation;
}

}  // namespace tw
