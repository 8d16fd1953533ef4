// Criteria on pair summaries: a set of rows is (weight a, sum b). For two classes b is the weight of class 1; for a
// numeric target b is the weighted sum of y.
//
// Each criterion is an additive objective phi: a split scores  Σ phi(branch) − phi(parent)  and larger is better.
// Every phi here is convex in (a, b), hence the two facts the engine lives on:
//   1. the best two-way grouping of nominal levels is a prefix of the levels ordered by b/a (Breiman et al. 1984);
//   2. between two points of a scan no cut can score above the corners of the region that the scan can pass through.
// best_possible(node) is the largest score any split of the node could have; scores are quantised against it.
#pragma once

#include <cmath>  // for log, sqrt

namespace tw {

struct PairNode {
  double a = 0, b = 0;         // of all rows at the node
  double lowest = 0, highest = 1;  // of b/a over single rows
};

inline double safe(double a) { return a > 0 ? a : 1; }  // phi of no rows is 0: the numerator is 0 there

// Where phi may be changed by a linear function of (a, b) without changing any score, the form used here is the one
// that is near 0 for a good branch, so that nearly pure nodes lose no digits.

struct PairGini {  // −2 n_0 n_1 / n, which is Σ_k n_k² / n − n
  static constexpr const char* name = "gini";
  explicit PairGini(const PairNode&) {}
  double phi(double a, double b) const { return -2 * b * (a - b) / safe(a); }
  double best_possible(const PairNode& t) const { return -phi(t.a, t.b); }
};

struct PairEntropy {  // Σ_k n_k ln(n_k / n)
  static constexpr const char* name = "entropy";
  explicit PairEntropy(const PairNode&) {}
  static double part(double x, double a) { return x > 0 ? x * std::log(x / a) : 0; }
  double phi(double a, double b) const { return part(b, a) + part(a - b, a); }
  double best_possible(const PairNode& t) const { return -phi(t.a, t.b); }
};

struct PairError {  // max_k n_k − n
  static constexpr const char* name = "error";
  explicit PairError(const PairNode&) {}
  double phi(double a, double b) const { return b < a - b ? -b : b - a; }
  double best_possible(const PairNode& t) const { return -phi(t.a, t.b); }
};

struct PairHellinger {  // (√(n_0/t_0) − √(n_1/t_1))², the squared distance; t: class totals of the node
  static constexpr const char* name = "hellinger";
  double per_0, per_1;
  explicit PairHellinger(const PairNode& t) : per_0(1 / safe(t.a - t.b)), per_1(1 / safe(t.b)) {}
  double phi(double a, double b) const {
    const double n_0 = a - b > 0 ? a - b : 0, n_1 = b > 0 ? b : 0;
    const double d = std::sqrt(n_0 * per_0) - std::sqrt(n_1 * per_1);
    return d * d;
  }
  double best_possible(const PairNode&) const { return 2; }
};

struct PairSquaredError {  // W (mean − node mean)²
  static constexpr const char* name = "squared_error";
  double mean;
  explicit PairSquaredError(const PairNode& t) : mean(t.b / safe(t.a)) {}
  double phi(double a, double b) const {
    const double d = b - mean * a;
    return d * d / safe(a);
  }
  double best_possible(const PairNode& t) const {
    const double range = t.highest - t.lowest;
    return range * range * t.a / 4;
  }
};

struct PairPoisson {  // d ln(d / τ), the deviance up to terms that are the same for every split
  static constexpr const char* name = "poisson";
  double rate;
  explicit PairPoisson(const PairNode& t) : rate(t.b > 0 ? t.b / safe(t.a) : 1) {}
  double phi(double a, double b) const { return b > 0 && a > 0 ? b * std::log(b / (a * rate)) : 0; }
  double best_possible(const PairNode& t) const {  // all weight at the two ends of the range
    const double range = t.highest - t.lowest, high = range > 0 ? (t.b - t.lowest * t.a) / range : 0;
    return phi(high, high * t.highest) + phi(t.a - high, (t.a - high) * t.lowest) - phi(t.a, t.b);
  }
};

}  // namespace tw
