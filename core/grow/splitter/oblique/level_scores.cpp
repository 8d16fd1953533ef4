#include "grow/splitter/oblique/level_scores.hpp"

#include <cmath>   // for log
#include <limits>  // for numeric_limits

#include "grow/splitter/oblique/directions.hpp"

namespace tw {
namespace {

constexpr double kDrawn = 5;  // rows

// The weight of each level, and Σ w·target: of numbers their levels in fixed point, of classes one sum for each class.
struct LevelSums {
  std::size_t width;  // sums of one level
  std::vector<double> weight, goal;
};

LevelSums add_up(const NodeView& node, const StandardizedColumn& column) {
  const Weighing& weighing = node.weighing;
  const std::size_t K = weighing.target->n_classes, L = column.levels.size();
  std::vector<NumberSum> numbers(K ? 0 : L);
  std::vector<std::int64_t> classes(L * K, 0);
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    const std::size_t place = column.places[i];
    if (place >= L) continue;
    const std::uint32_t row = node.rows.rows[i];
    if (K)
      classes[place * K + weighing.target->classes[row]] += weighing.weight_of(row);
    else
      numbers[place].add(weighing.weight_of(row), weighing.level_of(row));
  }
  LevelSums sums{K ? K : 1, std::vector<double>(L, 0), {}};
  for (const NumberSum& sum : numbers) sums.goal.push_back(double(sum.first) * weighing.unit);
  for (std::size_t v = 0; v < numbers.size(); ++v) sums.weight[v] = node.weight(numbers[v].weight);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    sums.goal.push_back(node.weight(classes[c]));
    sums.weight[c / K] += sums.goal.back();
  }
  return sums;
}

// Means, or shares of classes, of each level, drawn to those of all.
std::vector<double> drawn_means(const LevelSums& sums) {
  std::vector<double> middle(sums.width, 0), means(sums.goal.size());
  double total = 0;
  for (const double weight : sums.weight) total += weight;
  for (std::size_t c = 0; c < sums.goal.size(); ++c) middle[c % sums.width] += sums.goal[c];
  for (std::size_t c = 0; c < means.size(); ++c)
    means[c] = (sums.goal[c] + kDrawn * (middle[c % sums.width] / total)) / (sums.weight[c / sums.width] + kDrawn);
  return means;
}

// Which level each row has; codes in ascending order.
void set_places(const NodeView& node, const RankedColumn& from, StandardizedColumn& column) {
  std::vector<std::uint8_t> seen(from.n_codes + 1, 0);
  from.visit_codes([&](const auto* codes) {
    for (const std::uint32_t row : node.rows.rows) seen[codes[row]] = 1;
    std::vector<std::uint8_t> place_of(from.n_codes + 1, kNoLevel);
    for (std::uint32_t code = 1; code <= from.n_codes; ++code) {
      if (!seen[code]) continue;
      place_of[code] = static_cast<std::uint8_t>(column.levels.size());
      column.levels.push_back({code, 0.0});
    }
    for (const std::uint32_t row : node.rows.rows) column.places.push_back(place_of[codes[row]]);
  });
}

}  // namespace

StandardizedColumn scored_column(const NodeView& node, std::int32_t column) {
  StandardizedColumn found;
  set_places(node, node.column(column), found);
  const LevelSums sums = add_up(node, found);
  const std::vector<double> means = drawn_means(sums);
  const std::size_t K = node.weighing.target->n_classes;
  if (K > 2) {
    const std::vector<double> along = principal_coordinates(means, sums.weight, K);
    for (std::size_t v = 0; v < found.levels.size(); ++v) found.levels[v].score = along[v];
  } else {
    for (std::size_t v = 0; v < found.levels.size(); ++v)
      found.levels[v].score = K ? std::log(means[2 * v + 1] / means[2 * v]) : means[v];
  }
  found.values.resize(found.places.size());
  for (std::size_t i = 0; i < found.values.size(); ++i)
    found.values[i] =
        found.places[i] == kNoLevel ? std::numeric_limits<double>::quiet_NaN() : found.levels[found.places[i]].score;
  return found;
}

}  // namespace tw
