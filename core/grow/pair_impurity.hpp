// The impurity that is stored and shown, from the sums of a node. (The search works with phi; see criterion/pair.hpp.)
#pragma once

#include <algorithm>  // for max
#include <cmath>      // for log, log2

#include "grow/recipe.hpp"
#include "grow/sprout.hpp"
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

// Numeric target: variance, or half the mean Poisson deviance.
inline double number_impurity(CriterionName criterion, const Sprout& s, const Target& target) {
  if (s.pure || s.a == 0) return 0;
  const double weight = double(s.a) * target.weight_unit, sum = double(s.b) * target.value_unit;
  const double spread = double(s.spread) * target.spread_unit;
  if (criterion == CriterionName::poisson)
    return sum > 0 ? std::max(0.0, (spread - sum * std::log(sum / weight)) / weight) : 0;
  return std::max(0.0, (spread - sum * sum / weight) / weight);
}

}  // namespace tw
