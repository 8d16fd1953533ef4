#include "explain/quadrature.hpp"

#include <cmath>  // for cos, abs

namespace tw {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct Legendre {
  double value, slope;
};

// The Legendre polynomial of degree n at x, by its recurrence of three terms.
Legendre legendre(std::size_t n, double x) {
  double before = 1, here = x;
  for (std::size_t k = 2; k <= n; ++k) {
    const double next = ((2.0 * k - 1) * x * here - (k - 1.0) * before) / double(k);
    before = here, here = next;
  }
  return {here, double(n) * (x * here - before) / (x * x - 1)};
}

// The root near a first guess, by Newton's steps.
double root_near(std::size_t n, double x) {
  for (int step = 0; step < 100; ++step) {
    const Legendre at = legendre(n, x);
    const double change = at.value / at.slope;
    x -= change;
    if (std::abs(change) < 1e-16) break;
  }
  return x;
}

}  // namespace

Quadrature::Quadrature(std::size_t n) : point(n), weight(n) {
  if (n == 1) point[0] = 0.5, weight[0] = 1;
  for (std::size_t i = 0; i < n / 2 + n % 2 && n > 1; ++i) {
    const double x = 2 * i + 1 == n ? 0.0 : root_near(n, std::cos(kPi * (double(i) + 0.75) / (double(n) + 0.5)));
    const double slope = legendre(n, x).slope, w = 1 / ((1 - x * x) * slope * slope);
    point[i] = 0.5 - 0.5 * x, point[n - 1 - i] = 0.5 + 0.5 * x;
    weight[i] = weight[n - 1 - i] = w;
  }
}

const Quadrature& Quadratures::with(std::size_t n) {
  if (kept_.size() <= n) kept_.resize(n + 1);
  if (kept_[n].empty()) kept_[n].emplace_back(n);
  return kept_[n][0];
}

}  // namespace tw
