// Sums: the summary of some rows in exact integers, for classes or numbers; and Weighing, the units that they are in.
//
// Numbers are counted as w, Σ w·level and Σ w·level², where level is the target's value in fixed point around its
// middle. 128 bits hold every sum exactly, so nothing depends on the order of rows, threads or tables.
#pragma once

#include <cstdint>  // for int64_t
#include <vector>   // for vector

#include "base/short_vector.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

struct NumberSum {
  std::int64_t weight = 0;
  __int128 first = 0, second = 0;  // Σ w·level, Σ w·level²

  void add(std::int64_t w, std::int64_t level) {
    weight += w;
    first += static_cast<__int128>(w) * level;
    second += static_cast<__int128>(w) * level * level;
  }
  NumberSum& operator+=(const NumberSum& o) {
    weight += o.weight, first += o.first, second += o.second;
    return *this;
  }
  NumberSum& operator-=(const NumberSum& o) {
    weight -= o.weight, first -= o.first, second -= o.second;
    return *this;
  }

  // Mean level, and Σ w·(level − mean)². Exact up to the last rounding: nothing cancels.
  double mean() const { return weight > 0 ? double(first) / double(weight) : 0; }
  double spread() const {
    if (weight <= 0) return 0;
    const auto middle =
        static_cast<__int128>(first >= 0 ? (first + weight / 2) / weight : (first - weight / 2) / weight);
    const __int128 around = second - 2 * middle * first + middle * middle * weight;
    const double rest = double(first - middle * weight);
    const double spread = double(around) - rest * rest / double(weight);
    return spread > 0 ? spread : 0;
  }
};

// Weights and levels as integers. Where rows may be spread over several branches, a row's weight is counted in finer
// units than the target's, so that its pieces can be told apart.
struct Weighing {
  const Target* target = nullptr;
  int finer = 0;       // bits
  double unit = 1;     // the weight of one unit
  int level_drop = 0;  // bits that levels lose, so that squares fit
  double level_unit = 1;

  Weighing() = default;
  Weighing(const Target& target, std::int64_t root_weight, bool may_spread);

  std::int64_t weight_of(std::size_t row) const { return target->weight_of(row) << finer; }
  std::int64_t level_of(std::size_t row) const { return target->level[row] >> level_drop; }
  double value_of_level(double level) const { return target->offset + level * level_unit; }
};

// What is known of some rows without looking at any column.
struct Sums {
  std::uint32_t rows = 0;
  std::int64_t weight = 0;
  ShortVector<std::int64_t, 4> classes;  // classification: weight of each class
  NumberSum numbers;                     // regression
  __int128 full = 0;                     // regression: Σ w·level with every bit of the target's levels, for the mean

  bool is_pure() const;
};

double node_mean(const Sums& sums, const Weighing& weighing);

// The impurity that is stored and shown: gini, entropy (bits) or error share; variance in the units of the target.
double node_impurity(CriterionName criterion, const Sums& sums, const Weighing& weighing);

}  // namespace tw
