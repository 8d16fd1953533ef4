// The rules of one tree in units of its fixed point.
#pragma once

#include <algorithm>  // for max
#include <cmath>      // for ceil

#include "grow/boost/gradient_words.hpp"
#include "grow/boost/rules.hpp"

namespace tw {

struct FixedRules {
  const BoostRules* given = nullptr;
  Units units;
  double l2 = 0;                     // in units of the hessian
  double least_hessian = 1;          // of a side
  double grid = 1;                   // steps of the comparison of scores, per unit of the score
  double extra = 0;                  // what a score must have more than the undivided node
  double smoothing = 0;              // of the order of levels
  double charge = 0;                 // for each level of a wide column
  std::int64_t largest_hessian = 1;  // of a row
  bool bounded = false;              // there are monotone columns

  double value_unit() const { return units.gradient / units.hessian; }
  double score_unit() const { return units.gradient * units.gradient / units.hessian; }
  double newton(const GradientSum& sum) const {
    return -static_cast<double>(sum.gradient) / (static_cast<double>(sum.hessian) + l2);
  }
};

inline FixedRules fix_rules(const BoostRules& rules, const Units& units, std::int64_t largest_hessian) {
  FixedRules fixed;
  fixed.given = &rules;
  fixed.units = units;
  fixed.l2 = rules.l2_regularization / units.hessian;
  fixed.least_hessian = std::max(1.0, std::ceil(rules.min_hessian / units.hessian));
  fixed.grid = units.grid;
  fixed.extra = 2 * rules.min_gain / fixed.score_unit();
  fixed.smoothing = rules.level_smoothing / units.hessian;
  fixed.charge = rules.level_charge * units.noise / fixed.score_unit();
  fixed.largest_hessian = largest_hessian;
  for (const auto way : rules.monotone) fixed.bounded = fixed.bounded || way != 0;
  return fixed;
}

}  // namespace tw
