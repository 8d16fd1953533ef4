// The impurity that is stored and shown, from the sums of a node. (The search works with phi; see criterion/pair.hpp.)
#pragma once

#include <algorithm>  // for clamp, max
#include <bit>        // for bit_width
#include <cmath>      // for log, log2
#include <limits>     // for numeric_limits

#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

// Two classes: shares p and 1 − p. Twoing and Hellinger are measures of a split, not of a node: gini stands in.
inline double class_impurity(CriterionName criterion, double p) {
  const double q = 1 - p;
  if (p <= 0 || q <= 0) return 0;
  if (criterion == CriterionName::entropy) return -(p * std::log2(p) + q * std::log2(q));
  if (criterion == CriterionName::error) return std::min(p, q);
  return 2 * p * q;
}

// SpreadSum: adds up what the impurity of a numeric node is made of, around the node's own mean and in integers scaled
// to the node's own range: no digit is lost beside outliers elsewhere, and the order of rows does not matter.
class SpreadSum {
 public:
  // s: rows, a, b, low and high are known.
  SpreadSum(const GrowingNode& s, const Target& target, CriterionName criterion)
      : poisson_(criterion == CriterionName::poisson) {
    if (s.low == s.high || s.a == 0) return;  // nothing to add up: the impurity is 0
    spreads_ = true;
    weight_ = double(s.a) * target.weight_unit;
    mean_ = double(s.b) * target.value_unit / weight_;
    if (poisson_) {
      const double low = double(s.low) * target.level_unit, high = double(s.high) * target.level_unit;
      int exponent = 0;
      std::frexp(std::max({deviance(low), deviance(high), 1e-300}) * weight_, &exponent);
      shift_ = 61 - exponent;
      return;
    }
    // Rows that weigh next to nothing may have lost their part of the sum: the mean stays within the range all the
    // same.
    middle_ = std::clamp(static_cast<std::int64_t>(std::llround(mean_ / target.level_unit)), s.low, s.high);
    mean_ = std::clamp(mean_, double(s.low) * target.level_unit, double(s.high) * target.level_unit);
    const int range_bits = std::bit_width(static_cast<std::uint64_t>(s.high - s.low)) + 1;
    const int weight_bits = std::bit_width(static_cast<std::uint64_t>(s.a));
    shift_ = std::max(0, (2 * range_bits + weight_bits - 126 + 1) / 2);
  }

  void add(std::int64_t level, std::int64_t weight, const Target& target) {
    if (!spreads_) return;
    if (poisson_) {
      const double part = double(weight) * target.weight_unit * deviance(double(level) * target.level_unit);
      sum_ += static_cast<__int128>(std::ldexp(part, shift_));
      return;
    }
    const std::int64_t d = (level - middle_) >> shift_;
    sum_ += static_cast<__int128>(weight) * d * d;
  }
  void merge(const SpreadSum& other) { sum_ += other.sum_; }

  // Variance, or half the mean Poisson deviance.
  double impurity(const GrowingNode& s, const Target& target) const {
    return std::min(unbounded_impurity(s, target), std::numeric_limits<double>::max() / 4);  // squares beyond 1e308
  }

  // The same, times the node's weight, in the units of the score (sums of fixed-point values: no overflow).
  double in_score_units(const Target& target) const {
    if (poisson_) return std::ldexp(static_cast<double>(sum_), -shift_) / target.value_unit;
    const double slope = std::ldexp(target.level_unit / target.value_unit * target.weight_unit, shift_);
    return static_cast<double>(sum_) * slope * slope;
  }

 private:
  double unbounded_impurity(const GrowingNode& s, const Target& target) const {
    if (s.low == s.high || s.a == 0) return 0;
    if (poisson_) return std::ldexp(static_cast<double>(sum_), -shift_) / weight_;
    const double unit = std::ldexp(target.level_unit, shift_);
    const double off = (mean_ - double(middle_) * target.level_unit) / unit;
    return std::max(0.0, static_cast<double>(sum_) / double(s.a) - off * off) * unit * unit;
  }

  double deviance(double y) const {  // y ln(y / mean) − y + mean
    if (mean_ <= 0) return 0;
    if (y <= 0) return mean_;
    const double x = (y - mean_) / mean_;
    return mean_ * ((1 + x) * std::log1p(x) - x);
  }

  bool poisson_, spreads_ = false;
  double weight_ = 1, mean_ = 0;
  std::int64_t middle_ = 0;
  int shift_ = 0;
  __int128 sum_ = 0;
};

}  // namespace tw
