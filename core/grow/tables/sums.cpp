#include "grow/tables/sums.hpp"

#include <algorithm>  // for max, max_element
#include <bit>        // for bit_width
#include <cmath>      // for log2, ldexp

#include "base/error.hpp"

namespace tw {
namespace {

constexpr int kWeightBits = 50;  // of the total weight: doubles hold every sum exactly
constexpr int kLevelBits = 36;   // 50 + 2 · 36 bits leave room for the steps of NumberSum::spread

double class_impurity(CriterionName criterion, const Sums& sums) {
  const double n = double(sums.weight);
  double gini = 1, entropy = 0, most = 0;
  for (const std::int64_t weight : sums.classes) {
    if (weight == 0) continue;
    const double p = double(weight) / n;
    gini -= p * p, entropy -= p * std::log2(p), most = std::max(most, p);
  }
  if (criterion == CriterionName::entropy) return std::max(0.0, entropy);
  return std::max(0.0, criterion == CriterionName::error ? 1 - most : gini);
}

}  // namespace

Weighing::Weighing(const Target& given, std::int64_t root_weight, bool may_spread) : target(&given) {
  if (may_spread) finer = std::max(0, kWeightBits - static_cast<int>(std::bit_width(std::uint64_t(root_weight))));
  unit = std::ldexp(given.weight_unit, -finer);
  std::int64_t reach = 1;
  for (const std::int64_t level : given.level) reach = std::max({reach, level, -level});
  level_drop = std::max(0, static_cast<int>(std::bit_width(std::uint64_t(reach))) - kLevelBits);
  level_unit = std::ldexp(given.level_unit, level_drop);
}

bool Sums::is_pure() const {
  if (classes.empty()) return numbers.spread() == 0;
  return weight == 0 || *std::max_element(classes.begin(), classes.end()) == weight;
}

double node_mean(const Sums& sums, const Weighing& weighing) {
  if (sums.weight == 0) return weighing.target->offset;
  return weighing.target->offset + double(sums.full) / double(sums.weight) * weighing.target->level_unit;
}

double node_impurity(CriterionName criterion, const Sums& sums, const Weighing& weighing) {
  if (sums.weight == 0) return 0;
  if (!sums.classes.empty()) return class_impurity(criterion, sums);
  if (criterion != CriterionName::squared_error) throw BadInput("this criterion is not counted in tables");
  return sums.numbers.spread() / double(sums.numbers.weight) * weighing.level_unit * weighing.level_unit;
}

}  // namespace tw
