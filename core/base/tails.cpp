#include "base/tails.hpp"

#include <cmath>    // for exp, log, log1p
#include <limits>   // for numeric_limits
#include <numbers>  // for pi

namespace tw {
namespace {

constexpr double kSmall = 1e-17;    // a part below this share of the whole does not change it
constexpr double kSettled = 3e-16;  // a factor this close to 1 is rounding
constexpr double kTiny = 1e-300;    // stands for zero in a denominator of a continued fraction

// ln Γ(n + 1) minus Stirling's (n + 1/2) ln n − n + ln √(2π). Below 16 the argument is raised by Γ(n + 2) = (n + 1)
// Γ(n + 1). Not std::lgamma: that one writes a global variable, and its last digits differ between systems.
double stirling_error(double n) {
  if (n < 16) {
    double product = 1, raised = n;
    while (raised < 16) raised += 1, product *= raised;
    const double log_gamma = stirling_error(raised) + (raised + 0.5) * std::log(raised) - raised - std::log(product);
    return log_gamma - ((n + 0.5) * std::log(n) - n);
  }
  const double inverse = 1 / n, square = inverse * inverse;
  return inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188))));
}

// value ln(value / mean) − (value − mean), without loss of digits where the two are close (Loader 2000). The caller
// gives their difference, which it often knows better than a subtraction would tell.
double deviance(double value, double mean, double difference) {
  if (std::abs(difference) >= 0.1 * (value + mean)) return value * std::log(value / mean) - difference;
  const double v = difference / (value + mean), square = v * v;
  double sum = difference * v, part = 2 * value * v;
  for (int odd = 3;; odd += 2) {
    part *= square;
    const double next = sum + part / odd;
    if (next == sum) return sum;
    sum = next;
  }
}

// A continued fraction, computed from its front (Lentz 1976).
struct ContinuedFraction {
  double c, d, value;

  // Gives the factor by which the value changes.
  double step(double numerator, double denominator) {
    d = denominator + numerator * d;
    if (std::abs(d) < kTiny) d = kTiny;
    c = denominator + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    value *= c * d;
    return c * d;
  }
};

// ln of x^a e^-x / Γ(a + 1).
double log_poisson(double a, double x) {
  return -stirling_error(a) - deviance(a, x, a - x) - 0.5 * std::log(2 * std::numbers::pi * a);
}

// The lower tail of the gamma distribution by its series, for x below about a.
double gamma_lower(double a, double x) {
  double sum = 1, part = 1;
  for (double k = 1; part > kSmall * sum; ++k) part *= x / (a + k), sum += part;
  return std::exp(log_poisson(a, x) + std::log(sum));
}

// ln of the upper tail by its continued fraction, for x above about a.
double log_gamma_upper(double a, double x) {
  double denominator = x + 1 - a;
  ContinuedFraction fraction{1 / kTiny, 1 / denominator, 1 / denominator};
  for (double k = 1;; ++k) {
    denominator += 2;
    if (std::abs(fraction.step(k * (a - k), denominator) - 1) < kSettled) break;
  }
  return log_poisson(a, x) + std::log(a * fraction.value);
}

// A point of the beta distribution: x + y = 1, and how far a is from its expectation (a + b) x.
struct BetaPoint {
  double a, b, x, y, excess;

  BetaPoint turned() const { return {b, a, y, x, -excess}; }
};

// ln of the lower tail I_x(a, b) by its continued fraction, for x below about a / (a + b).
double log_beta_lower(const BetaPoint& p) {
  const double n = p.a + p.b;
  const double log_binomial = stirling_error(n) - stirling_error(p.a) - stirling_error(p.b) -
                              deviance(p.a, n * p.x, p.excess) - deviance(p.b, n * p.y, -p.excess) +
                              0.5 * std::log(n / (2 * std::numbers::pi * p.a * p.b));
  const double first = 1 / (1 - n * p.x / (p.a + 1));
  ContinuedFraction fraction{1, first, first};
  for (double k = 1;; ++k) {
    const double at = p.a + 2 * k;
    fraction.step(k * (p.b - k) * p.x / ((at - 1) * at), 1);
    const double factor = fraction.step(-(p.a + k) * (n + k) * p.x / (at * (at + 1)), 1);
    if (std::abs(factor - 1) < kSettled) break;
  }
  return log_binomial + std::log(p.b / n * fraction.value);
}

}  // namespace

// (+ 0.0 turns the -0.0 of p = 1 into 0.)
double log_chi_square_tail(double statistic, double df) {
  if (!(df > 0) || !(statistic > 0)) return 0;
  if (std::isinf(statistic)) return -std::numeric_limits<double>::infinity();
  const double a = df / 2, x = statistic / 2;
  return x < a + 1 ? std::log1p(-gamma_lower(a, x)) + 0.0 : log_gamma_upper(a, x);
}

double log_f_tail(double statistic, double df_between, double df_within) {
  if (!(df_between > 0) || !(df_within > 0) || !(statistic > 0)) return 0;
  const double inside = df_within, outside = df_between * statistic;
  if (std::isinf(outside)) return -std::numeric_limits<double>::infinity();
  const double all = inside + outside, excess = df_within / 2 * (df_between * (statistic - 1) / all);
  const BetaPoint point{df_within / 2, df_between / 2, inside / all, outside / all, excess};
  if (point.x < (point.a + 1) / (point.a + point.b + 2)) return log_beta_lower(point);
  return std::log1p(-std::exp(log_beta_lower(point.turned()))) + 0.0;
}

}  // namespace tw
