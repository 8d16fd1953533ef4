#include "grow/forest/tree_weights.hpp"

#include <algorithm>  // for max
#include <cmath>      // for frexp, ldexp, llround

namespace tw {
namespace {

constexpr int kWeightBits = 50;  // as in table/target.cpp
constexpr int kValueBits = 62;

// What each class is multiplied by.
std::vector<double> class_factors(const Target& target, const ForestRules& rules,
                                  const std::vector<std::int64_t>& weights) {
  if (!rules.balance_classes) return rules.class_weights;
  std::vector<double> factor(target.n_classes, 0);
  for (const std::uint32_t row : target.rows) factor[target.classes[row]] += static_cast<double>(weights[row]);
  double all = 0, present = 0;
  for (const double total : factor) all += total, present += total > 0;
  for (double& f : factor) f = f > 0 ? all / (present * f) : 0;
  return factor;
}

double multiply(const Target& target, const std::vector<double>& factor, std::vector<std::int64_t>& weights) {
  double all = 0;
  for (const std::uint32_t row : target.rows)
    all = std::max(all, static_cast<double>(weights[row]) * factor[target.classes[row]]);
  int bits = 0, rows_bits = 0;
  std::frexp(all, &bits);
  std::frexp(static_cast<double>(target.rows.size()), &rows_bits);
  const int shift = kWeightBits - bits - rows_bits;
  for (const std::uint32_t row : target.rows) {
    const double scaled = std::ldexp(static_cast<double>(weights[row]) * factor[target.classes[row]], shift);
    weights[row] = scaled > 0 ? std::max<std::int64_t>(1, std::llround(scaled)) : 0;
  }
  return std::ldexp(1.0, -shift);
}

}  // namespace

double weigh_rows(const Target& target, const Draws& draws, const ForestRules& rules,
                  std::vector<std::int64_t>& weights) {
  weights.assign(draws.counts.size(), 0);
  for (const std::uint32_t row : target.rows)
    weights[row] = draws.counts[row] * (draws.weights_inside ? 1 : target.weight_of(row));
  const double unit = draws.weights_inside ? 1 : target.weight_unit;
  if (!rules.balance_classes && rules.class_weights.empty()) return unit;
  return unit * multiply(target, class_factors(target, rules, weights), weights);
}

double noise_of_a_unit(const Target& target, const Draws& draws, const ForestRules& rules,
                       const std::vector<std::int64_t>& weights) {
  if (draws.weights_inside && !rules.balance_classes && rules.class_weights.empty()) return draws.repeats;
  double sum = 0, squares = 0;
  for (const std::uint32_t row : target.rows) {
    if (draws.counts[row] == 0) continue;
    const double w = static_cast<double>(weights[row]) / draws.counts[row];
    sum += w * draws.counts[row], squares += w * w * draws.counts[row];
  }
  return draws.repeats * (sum > 0 ? squares / sum : 1);
}

double value_rows(const Target& target, const Draws& draws, std::vector<std::int64_t>& values) {
  const std::vector<std::int64_t>& value = draws.weights_inside ? target.level : target.value;
  double reach = 0;
  for (const std::uint32_t row : target.rows)
    reach += static_cast<double>(draws.counts[row]) * std::abs(static_cast<double>(value[row]));
  int bits = 0;
  std::frexp(reach, &bits);
  const int shift = std::max(0, bits - kValueBits);
  values.assign(draws.counts.size(), 0);
  for (const std::uint32_t row : target.rows) values[row] = draws.counts[row] * (value[row] >> shift);
  return std::ldexp(draws.weights_inside ? target.level_unit : target.value_unit, shift);
}

}  // namespace tw
