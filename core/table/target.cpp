#include "table/target.hpp"

#include <algorithm>  // for max, min
#include <cmath>      // for ldexp, llround, log2
#include <limits>     // for numeric_limits

#include "base/error.hpp"

namespace tw {
namespace {

constexpr int kWeightBits = 50;  // total weight stays below 2^50 units, so doubles hold every sum exactly
constexpr int kValueBits = 61;

constexpr int kMostWholeShift = 20;

int exponent_of(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent;
}

bool is_whole(double x) { return x == std::floor(x); }

// Adds what the weights of some rows say to the facts; the rows come one by one, in any order.
void see_weight(TargetFacts& facts, double weight) {
  facts.all_one = facts.all_one && weight == 1;
  facts.total += weight;
  facts.largest = std::max(facts.largest, weight);
  while (facts.whole_shift <= kMostWholeShift && !is_whole(std::ldexp(weight, facts.whole_shift))) ++facts.whole_shift;
}

// Whole weights (or halves, quarters, …) are kept exactly; others are rounded to 2^-50 of their total.
void choose_weight_unit(const TargetFacts& facts, TargetUnits& units) {
  units.exact_weights =
      facts.whole_shift <= kMostWholeShift && std::ldexp(facts.total, facts.whole_shift) < std::ldexp(1.0, kWeightBits);
  // The total may depend on the order in its last bits; the exponent of a bound does not.
  units.weight_shift = units.exact_weights ? facts.whole_shift
                                           : kWeightBits - exponent_of(facts.largest) -
                                                 exponent_of(static_cast<double>(facts.n_counted));
}

TargetFacts facts_of_weights(Target& target, std::size_t n, const double* weights) {
  TargetFacts facts;
  facts.n_rows = n;
  target.rows.reserve(n);
  for (std::size_t row = 0; row < n; ++row) {
    if (weights && !(weights[row] > 0)) continue;
    if (weights) see_weight(facts, weights[row]);
    target.rows.push_back(static_cast<std::uint32_t>(row));
  }
  facts.n_counted = target.rows.size();
  return facts;
}

std::int64_t in_units(double weight, int shift) {
  return std::max<std::int64_t>(1, std::llround(std::ldexp(weight, shift)));
}

void take_weights(Target& target, std::size_t n, const double* weights, const TargetUnits& units) {
  if (units.unit_weights) return;
  target.weight.assign(n, 0);
  target.weight_unit = std::ldexp(1.0, -units.weight_shift);
  for (auto row : target.rows) target.weight[row] = in_units(weights[row], units.weight_shift);
}

void take_classes(Target& target, const std::int32_t* classes, std::size_t n, std::uint32_t n_classes) {
  target.n_classes = n_classes;
  target.classes.assign(classes, classes + n);
  if (n_classes > 2 || target.unit_weights()) return;
  target.value.assign(n, 0);
  for (auto row : target.rows) target.value[row] = target.classes[row] ? target.weight[row] : 0;
}

void take_numbers(Target& target, const double* y, std::size_t n, const double* weights, const TargetUnits& units) {
  target.numbers = y;
  target.offset = units.offset;
  target.level_unit = std::ldexp(1.0, -units.level_shift);
  target.value_unit = std::ldexp(1.0, -units.value_shift);
  target.level.assign(n, 0);
  for (auto row : target.rows) target.level[row] = std::llround(std::ldexp(y[row] - units.offset, units.level_shift));
  if (units.unit_weights) {
    target.value = target.level;
    return;
  }
  target.value.assign(n, 0);
  for (auto row : target.rows)
    target.value[row] = units.exact_weights
                            ? target.weight[row] * target.level[row]
                            : std::llround(std::ldexp(weights[row] * (y[row] - units.offset), units.value_shift));
}

void find_counted_rows(Target& target, std::size_t n, const double* weights) {
  for (std::size_t row = 0; row < n; ++row)
    if (!weights || weights[row] > 0) target.rows.push_back(static_cast<std::uint32_t>(row));
}

bool all_one(const double* weights, const std::vector<std::uint32_t>& rows) {
  for (auto row : rows)
    if (weights[row] != 1) return false;
  return true;
}

}  // namespace

TargetUnits choose_units(const TargetFacts& facts) {
  TargetUnits units;
  units.unit_weights = facts.all_one;
  if (!units.unit_weights) choose_weight_unit(facts, units);
  if (!facts.has_numbers || facts.n_counted == 0) return units;
  units.offset = facts.rates ? 0 : facts.low / 2 + facts.high / 2;
  const double reach = std::max(std::abs(facts.low - units.offset), std::abs(facts.high - units.offset));
  const int reach_bits = reach > 0 ? exponent_of(reach) : 0;
  const double total = units.unit_weights ? double(facts.n_counted) : std::ldexp(facts.total, units.weight_shift);
  const int row_bits = exponent_of(double(facts.n_rows));
  units.level_shift = kValueBits - reach_bits - 1 - (units.exact_weights ? exponent_of(total) : row_bits);
  units.value_shift = units.exact_weights
                          ? units.level_shift + units.weight_shift
                          : kValueBits - reach_bits - exponent_of(std::max(1.0, facts.largest)) - 1 - row_bits;
  return units;
}

Target make_class_target(const std::int32_t* classes, std::size_t n, std::uint32_t n_classes, const double* weights) {
  if (n_classes > 65535) throw BadInput("a target with more than 65,535 classes");
  Target target;
  const TargetUnits units = choose_units(facts_of_weights(target, n, weights));
  take_weights(target, n, weights, units);
  take_classes(target, classes, n, n_classes);
  return target;
}

Target make_number_target(const double* y, std::size_t n, const double* weights, bool rates) {
  Target target;
  target.numbers = y;
  TargetFacts facts = facts_of_weights(target, n, weights);
  facts.has_numbers = true;
  facts.rates = rates;
  if (target.rows.empty()) return target;
  facts.low = facts.high = y[target.rows[0]];
  for (auto row : target.rows) facts.low = std::min(facts.low, y[row]), facts.high = std::max(facts.high, y[row]);
  const TargetUnits units = choose_units(facts);
  take_weights(target, n, weights, units);
  take_numbers(target, y, n, weights, units);
  return target;
}

Target make_class_target_in(const TargetUnits& units, const std::int32_t* classes, std::size_t n,
                            std::uint32_t n_classes, const double* weights) {
  Target target;
  find_counted_rows(target, n, weights);
  take_weights(target, n, weights, units);
  take_classes(target, classes, n, n_classes);
  return target;
}

Target make_number_target_in(const TargetUnits& units, const double* y, std::size_t n, const double* weights) {
  Target target;
  find_counted_rows(target, n, weights);
  take_weights(target, n, weights, units);
  take_numbers(target, y, n, weights, units);
  return target;
}

void set_case_weights(Target& target, std::size_t n, const double* weights) {
  target.has_case_weight = true;
  if (all_one(weights, target.rows)) return;
  TargetFacts facts;
  facts.n_counted = target.rows.size();
  for (auto row : target.rows) see_weight(facts, weights[row]);
  TargetUnits units;
  choose_weight_unit(facts, units);
  target.case_weight.assign(n, 0);
  for (auto row : target.rows) target.case_weight[row] = in_units(weights[row], units.weight_shift);
}

}  // namespace tw
