#include "table/target.hpp"

#include <algorithm>  // for max, min
#include <cmath>      // for ldexp, llround, log2
#include <limits>     // for numeric_limits

#include "base/error.hpp"

namespace tw {
namespace {

constexpr int kWeightBits = 50;  // total weight stays below 2^50 units, so doubles hold every sum exactly
constexpr int kValueBits = 61;

// Whole weights (or halves, quarters, …) are kept exactly; others are rounded to 2^-50 of their total.
struct WeightScale {
  int shift = 0;
  bool exact = true;
};

WeightScale choose_scale(const double* weights, const std::vector<std::uint32_t>& rows) {
  double total = 0, largest = 0;
  for (auto row : rows) total += weights[row], largest = std::max(largest, weights[row]);
  for (int shift = 0; shift <= 20; ++shift) {
    if (std::ldexp(total, shift) >= std::ldexp(1.0, kWeightBits)) break;
    bool whole = true;
    for (auto row : rows) {
      const double scaled = std::ldexp(weights[row], shift);
      if (scaled != std::floor(scaled)) {
        whole = false;
        break;
      }
    }
    if (whole) return {shift, true};
  }
  // The sum above may depend on the order in its last bits; the exponent of a bound does not.
  int exponent = 0;
  std::frexp(largest, &exponent);
  int rows_exponent = 0;
  std::frexp(static_cast<double>(rows.size()), &rows_exponent);
  return {kWeightBits - exponent - rows_exponent, false};
}

WeightScale take_weights(Target& target, std::size_t n, const double* weights) {
  target.rows.reserve(n);
  bool all_one = true;
  for (std::size_t row = 0; row < n; ++row) {
    if (weights && !(weights[row] > 0)) continue;
    if (weights && weights[row] != 1) all_one = false;
    target.rows.push_back(static_cast<std::uint32_t>(row));
  }
  if (!weights || all_one) return {};
  const WeightScale scale = choose_scale(weights, target.rows);
  target.weight.assign(n, 0);
  target.weight_unit = std::ldexp(1.0, -scale.shift);
  for (auto row : target.rows)
    target.weight[row] = std::max<std::int64_t>(1, std::llround(std::ldexp(weights[row], scale.shift)));
  return scale;
}

bool all_one(const double* weights, const std::vector<std::uint32_t>& rows) {
  for (auto row : rows)
    if (weights[row] != 1) return false;
  return true;
}

int exponent_of(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent;
}

}  // namespace

Target make_class_target(const std::int32_t* classes, std::size_t n, std::uint32_t n_classes, const double* weights) {
  if (n_classes > 65535) throw BadInput("a target with more than 65,535 classes");
  Target target;
  target.n_classes = n_classes;
  target.classes.assign(classes, classes + n);
  take_weights(target, n, weights);
  if (n_classes <= 2 && !target.unit_weights()) {
    target.value.assign(n, 0);
    for (auto row : target.rows) target.value[row] = target.classes[row] ? target.weight[row] : 0;
  }
  return target;
}

Target make_number_target(const double* y, std::size_t n, const double* weights, bool rates) {
  Target target;
  target.numbers = y;
  const WeightScale scale = take_weights(target, n, weights);
  double low = std::numeric_limits<double>::infinity(), high = -low, heaviest = 1;
  for (auto row : target.rows) {
    low = std::min(low, y[row]), high = std::max(high, y[row]);
    if (weights) heaviest = std::max(heaviest, weights[row]);
  }
  if (target.rows.empty()) return target;
  target.offset = rates ? 0 : low / 2 + high / 2;
  const double reach = std::max(std::abs(low - target.offset), std::abs(high - target.offset));
  const int reach_bits = reach > 0 ? exponent_of(reach) : 0;
  std::int64_t units = static_cast<std::int64_t>(target.rows.size());
  if (!target.unit_weights()) {
    units = 0;
    for (auto row : target.rows) units += target.weight[row];
  }
  const int unit_bits = exponent_of(static_cast<double>(units)) + 1;
  const int level_shift = kValueBits - reach_bits - (scale.exact ? unit_bits : 1 + exponent_of(double(n)));
  target.level_unit = std::ldexp(1.0, -level_shift);
  target.level.assign(n, 0);
  for (auto row : target.rows) target.level[row] = std::llround(std::ldexp(y[row] - target.offset, level_shift));
  if (target.unit_weights()) {
    target.value = target.level;
    target.value_unit = target.level_unit;
    return target;
  }
  target.value.assign(n, 0);
  if (scale.exact) {
    target.value_unit = target.level_unit * target.weight_unit;
    for (auto row : target.rows) target.value[row] = target.weight[row] * target.level[row];
  } else {
    const int shift = kValueBits - reach_bits - exponent_of(heaviest) - 1 - exponent_of(double(n));
    target.value_unit = std::ldexp(1.0, -shift);
    for (auto row : target.rows)
      target.value[row] = std::llround(std::ldexp(weights[row] * (y[row] - target.offset), shift));
  }
  return target;
}

void set_case_weights(Target& target, std::size_t n, const double* weights) {
  target.has_case_weight = true;
  if (all_one(weights, target.rows)) return;
  const WeightScale scale = choose_scale(weights, target.rows);
  target.case_weight.assign(n, 0);
  for (auto row : target.rows)
    target.case_weight[row] = std::max<std::int64_t>(1, std::llround(std::ldexp(weights[row], scale.shift)));
}

}  // namespace tw
