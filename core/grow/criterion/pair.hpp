// Criteria on pair summaries: a set of rows is (weight a, sum b). For two classes b is the weight of class 1; for a
// numeric target b is the weighted sum of y.
//
// Each criterion is an additive objective phi: a split scores  Σ phi(branch) − phi(parent)  and larger is better.
// Every phi here is convex in (a, b), hence the two facts the engine lives on:
//   1. the best two-way grouping of nominal levels is a prefix of the levels ordered by b/a (Breiman et al. 1984);
//   2. between two points of a scan no cut can score above the corners of the region that the scan can pass through.
// best_possible(node) is the largest score any split of the node could have; scores are quantised against it.
//
// Gini and squared error are quadratic: their score is  q · W d² / (a (W − a)), with W the weight of the whole, d the
// distance of b from its share of it, and q = 2 or 1. Entropy is not, but it is bounded by a quadratic form: with X²
// the chi-square statistic of the cut (q = W² / (B (W − B))), the gain in nats is at most W ln(1 + X²/W). Scans use
// that to turn most cuts down without a division or a logarithm.
#pragma once

#include <cmath>    // for log, sqrt
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

namespace tw {

enum class Quadratic : std::uint8_t { none, bound, exact };

struct PairNode {
  double a = 0, b = 0;             // of all rows at the node
  double lowest = 0, highest = 1;  // of b/a over single rows
  double spread = 0;               // numeric targets: W times the node's impurity, in the units of the score
};

inline double safe(double a) { return a > 0 ? a : 1; }  // phi of no rows is 0: the numerator is 0 there

// Where phi may be changed by a linear function of (a, b) without changing any score, the form used here is the one
// that is near 0 for a good branch, so that nearly pure nodes lose no digits.

struct PairGini {  // −2 n_0 n_1 / n, which is Σ_k n_k² / n − n
  static constexpr const char* name = "gini";
  static constexpr Quadratic kQuadratic = Quadratic::exact;
  double quadratic(double, double) const { return 2; }
  explicit PairGini(const PairNode&) {}
  double phi(double a, double b) const { return -2 * b * (a - b) / safe(a); }
  double best_possible(const PairNode& t) const { return -phi(t.a, t.b); }
};

// x ln x; weights are whole numbers of units, and small ones come from a table.
class XLogX {
 public:
  XLogX() : table_(table()) {}
  double operator()(double x) const { return x < kTable ? table_[static_cast<std::uint32_t>(x)] : x * std::log(x); }

 private:
  static constexpr std::uint32_t kTable = 65536;
  static const double* table() {
    static const std::vector<double> values = [] {
      std::vector<double> made(kTable, 0.0);
      for (std::uint32_t i = 1; i < kTable; ++i) made[i] = double(i) * std::log(double(i));
      return made;
    }();
    return values.data();
  }
  const double* table_;  // kept at hand: asking for it takes a look at whether it has been made
};

struct PairEntropy {  // Σ_k n_k ln(n_k / n)
  static constexpr const char* name = "entropy";
  static constexpr Quadratic kQuadratic = Quadratic::bound;
  double quadratic(double a, double b) const { return b > 0 && b < a ? a / b * (a / (a - b)) : 0; }
  XLogX x_log_x;
  explicit PairEntropy(const PairNode&) {}
  double phi(double a, double b) const { return x_log_x(b) + x_log_x(a - b) - x_log_x(a); }
  double best_possible(const PairNode& t) const { return -phi(t.a, t.b); }
};

struct PairError {  // max_k n_k − n
  static constexpr const char* name = "error";
  static constexpr Quadratic kQuadratic = Quadratic::none;
  explicit PairError(const PairNode&) {}
  double phi(double a, double b) const { return b < a - b ? -b : b - a; }
  double best_possible(const PairNode& t) const { return -phi(t.a, t.b); }
};

struct PairHellinger {  // (√(n_0/t_0) − √(n_1/t_1))², the squared distance; t: class totals of the node
  static constexpr const char* name = "hellinger";
  static constexpr Quadratic kQuadratic = Quadratic::none;
  double per_0, per_1, factor = 1;
  explicit PairHellinger(const PairNode& t) : per_0(1 / safe(t.a - t.b)), per_1(1 / safe(t.b)) {}
  double phi(double a, double b) const {
    const double n_0 = a - b > 0 ? a - b : 0, n_1 = b > 0 ? b : 0;
    const double d = std::sqrt(n_0 * per_0) - std::sqrt(n_1 * per_1);
    return factor * d * d;
  }
  double best_possible(const PairNode&) const { return 2; }
};

struct PairSquaredError {  // W (mean − node mean)²
  static constexpr const char* name = "squared_error";
  static constexpr Quadratic kQuadratic = Quadratic::exact;
  double quadratic(double, double) const { return 1; }
  double mean;
  explicit PairSquaredError(const PairNode& t) : mean(t.b / safe(t.a)) {}
  double phi(double a, double b) const {
    const double d = b - mean * a;
    return d * d / safe(a);
  }
  double best_possible(const PairNode& t) const { return t.spread; }
};

struct PairPoisson {  // d ln(d / d̂) − d + d̂ with d̂ = the node's rate × weight, written so that near d = d̂ no digit is
                      // lost
  static constexpr const char* name = "poisson";
  static constexpr Quadratic kQuadratic = Quadratic::none;
  double rate;
  explicit PairPoisson(const PairNode& t) : rate(t.b > 0 ? t.b / safe(t.a) : 1) {}
  double phi(double a, double b) const {
    const double expected = a * rate;
    if (expected <= 0) return 0;
    if (b <= 0) return expected;
    const double x = (b - expected) / expected;
    return expected * ((1 + x) * std::log1p(x) - x);
  }
  double best_possible(const PairNode& t) const { return t.spread; }
};

// The same criterion for the known rows of a node alone (missing rows set apart): known holds their sums, share is
// their part of the node's weight. Only Hellinger, which has no unit of weight, needs to be told.
template <class Criterion>
Criterion for_known_rows(const PairNode& known, double share) {
  Criterion criterion(known);
  if constexpr (requires { criterion.factor; }) criterion.factor = share * share;
  return criterion;
}

}  // namespace tw
