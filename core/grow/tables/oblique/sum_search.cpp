#include "grow/tables/oblique/sum_search.hpp"

#include <algorithm>  // for max_element, find
#include <cmath>      // for abs, frexp, isfinite, ldexp, rint, log2, sqrt

#include "grow/tables/oblique/axis_cut.hpp"
#include "grow/threshold_value.hpp"

namespace tw {

namespace {

constexpr double kMostUnknown = 0.5;
constexpr double kKeys = 4294967294.0;  // 2^32 − 2 steps from the smallest sum to the largest

double to_24_bits(double number) {
  int exponent;
  const double fraction = std::frexp(number, &exponent);
  return std::ldexp(std::rint(std::ldexp(fraction, 24)), exponent - 24);
}

// How far a unit of the score of a column reaches: to the level that counts most, from the middle.
double reach_of(const StandardizedColumn& column) {
  double farthest = column.is_nominal() ? 0 : 1;
  for (const LevelScore& level : column.levels) farthest = std::max(farthest, std::abs(level.score - column.mean));
  return farthest;
}

// The terms of a direction: in the units of the columns, with weight 1 for the one that counts most. Of a nominal
// column every level has its own; without a value, and with a level that is not here, it adds nothing.
bool set_terms(const StandardizedRows& standardized, const Direction& direction, SumCut& cut) {
  const std::vector<double> counts = strength(direction.coefficients);
  cut.kept = direction.kept;
  cut.lead = std::max_element(counts.begin(), counts.end()) - counts.begin();
  const StandardizedColumn& lead = standardized.column(cut.kept[cut.lead]);
  const double unit = direction.coefficients[cut.lead] / lead.deviation * reach_of(lead);
  double size = 0;
  for (const double c : direction.coefficients) size += std::abs(c);
  for (std::size_t j = 0; j < cut.kept.size(); ++j) {
    const StandardizedColumn& column = standardized.column(cut.kept[j]);
    const double per_unit = direction.coefficients[j] / column.deviation / unit, weight = to_24_bits(per_unit);
    if (!std::isfinite(weight) || !std::isfinite(weight * column.mean)) return false;
    cut.weights.push_back(weight);
    cut.fillers.push_back(column.is_nominal() ? 0 : weight * column.mean);
    cut.shares.push_back(std::abs(direction.coefficients[j]) / size);
    cut.level_weights.emplace_back();
    for (const LevelScore& level : column.levels)
      cut.level_weights.back().push_back(to_24_bits(per_unit * (level.score - column.mean)));
  }
  return true;
}

}  // namespace

SumScan::SumScan(const NodeView& node, const StandardizedRows& standardized, const Logarithms& logs,
                 std::int64_t min_leaf)
    : node_(node), rows_(standardized), logs_(logs), min_leaf_(min_leaf), any_missing_(standardized.has_missing()),
      sums_(standardized.n_rows()), told_(standardized.n_rows(), 1), keys_(standardized.n_rows()) {}

// Adds term after term, as a stored tree does (predict/walk.hpp).
void SumScan::project(const SumCut& cut) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (std::size_t j = 0; j < cut.kept.size(); ++j) {
    const double* x = rows_.column(cut.kept[j]).values.data();
    const double weight = cut.weights[j], filler = cut.fillers[j];
    if (rows_.column(cut.kept[j]).is_nominal())
      add_levels(rows_.column(cut.kept[j]), cut.level_weights[j]);
    else if (any_missing_)
      for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += x[i] == x[i] ? weight * x[i] : filler;
    else
      for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += weight * x[i];
  }
  if (!any_missing_) return;
  std::vector<double> unknown(sums_.size(), 0.0);
  for (std::size_t j = 0; j < cut.kept.size(); ++j) {
    const double* x = rows_.column(cut.kept[j]).values.data();
    for (std::size_t i = 0; i < sums_.size(); ++i) unknown[i] += x[i] == x[i] ? 0 : cut.shares[j];
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) told_[i] = unknown[i] <= kMostUnknown;
}

void SumScan::add_levels(const StandardizedColumn& column, std::vector<double> adds) {
  adds.resize(kNoLevel + 1, 0.0);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += adds[column.places[i]];
}

bool SumScan::sort_rows() {
  double low = INFINITY, high = -INFINITY;
  for (std::size_t i = 0; i < sums_.size(); ++i)
    if (told_[i]) low = std::min(low, sums_[i]), high = std::max(high, sums_[i]);
  const double scale = kKeys / (high - low);
  if (!(high > low) || !std::isfinite(low) || !std::isfinite(high) || !std::isfinite(scale) || scale <= 0) return false;
  auto& words = scratch_.words;
  words.clear();
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (!told_[i]) continue;
    keys_[i] = static_cast<std::uint32_t>((sums_[i] - low) * scale);
    words.push_back(static_cast<std::uint64_t>(keys_[i]) << 32 | i);
  }
  scratch_.other.resize(words.size());
  sorted_ = radix_sort(words.data(), scratch_.other.data(), words.size(), 32);
  return true;
}

template <class Sides, class Move>
void SumScan::scan(SumCut& cut, Sides sides, Move move) {
  double best = -1;
  std::size_t best_end = 0;
  bool right_is_heavier = false;
  const std::size_t n = scratch_.words.size();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    move(sides, static_cast<std::uint32_t>(sorted_[i]));
    if (sorted_[i] >> 32 == sorted_[i + 1] >> 32) continue;
    ++cut.n_cuts;
    if (std::int64_t(i) + 1 < min_leaf_ || std::int64_t(n - i) - 1 < min_leaf_) continue;
    if (const double merit = sides.merit(); merit > best)
      best = merit, best_end = i, right_is_heavier = sides.right_weight() > sides.left_weight();
  }
  if (best < 0) return;
  cut.found = true, cut.saved = sides.bits_of(best), cut.missing_right = right_is_heavier;
  set_threshold(cut, static_cast<std::uint32_t>(sorted_[best_end] >> 32));
}

// Half way between the sums on the two sides.
void SumScan::set_threshold(SumCut& cut, std::uint32_t last_left) const {
  double left = -INFINITY, right = INFINITY;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (!told_[i]) continue;
    if (keys_[i] <= last_left)
      left = std::max(left, sums_[i]);
    else
      right = std::min(right, sums_[i]);
  }
  cut.threshold = midpoint(left, right);
}

SumCut SumScan::find(const Direction& direction) {
  SumCut cut;
  node_.workers.checkpoint();
  if (!set_terms(rows_, direction, cut)) return cut;
  project(cut);
  if (!sort_rows()) return cut;
  const Target& target = *node_.weighing.target;
  const auto rows = node_.rows.rows;
  if (target.n_classes == 0) {
    NumberSum known;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (told_[i]) known.add(weight_at(i), node_.weighing.level_of(rows[i]));
    scan(cut, NumberSides(known),
         [&](NumberSides& sides, std::uint32_t i) { sides.move(weight_at(i), node_.weighing.level_of(rows[i])); });
    return cut;
  }
  std::vector<std::int64_t> known(target.n_classes, 0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (told_[i]) known[target.classes[rows[i]]] += weight_at(i);
  scan(cut, ClassSides(logs_, known),
       [&](ClassSides& sides, std::uint32_t i) { sides.move(target.classes[rows[i]], weight_at(i)); });
  return cut;
}

std::vector<std::uint16_t> SumScan::route(const SumCut& cut) {
  project(cut);
  std::vector<std::uint16_t> branch(sums_.size());
  for (std::size_t i = 0; i < branch.size(); ++i)
    branch[i] = told_[i] ? !(sums_[i] <= cut.threshold) : cut.missing_right;
  return branch;
}

namespace {

constexpr double kSmallestClass = 3;  // weight; a rarer class of many is not told apart from the rest

// Σ w·(z − mean)·(target − mean) of the rows in a group of classes.
std::vector<double> with_group(std::span<const double> sums, std::span<const double> weights,
                               std::span<const std::uint8_t> group, std::span<const double> all, double total) {
  std::vector<double> result(all.size(), 0.0);
  double weight = 0;
  for (std::size_t k = 0; k < group.size(); ++k) {
    if (!group[k]) continue;
    weight += weights[k];
    for (std::size_t j = 0; j < all.size(); ++j) result[j] += sums[k * all.size() + j];
  }
  for (std::size_t j = 0; j < all.size(); ++j) result[j] -= all[j] * (weight / total);
  return result;
}

}  // namespace

PricedSum SumSearch::best() {
  if (node_.weighing.target->n_classes)
    try_classes();
  else
    try_numbers();
  return std::move(best_);
}

PricedSum SumSearch::priced(const Direction& direction) {
  PricedSum sum;
  sum.cut = scan_.find(direction);
  sum.saved = sum.cut.saved * node_.weighing.unit;
  if (!sum.cut.found) return sum;
  sum.price = std::log2(double(sum.cut.n_cuts)) + rules_.price_per_term * double(sum.cut.kept.size() - 1);
  for (const std::vector<double>& levels : sum.cut.level_weights)  // as much as the column pays when it is asked alone
    if (!levels.empty()) sum.price += axis_price(true, levels.size(), false);
  return sum;
}

double SumSearch::score(const PricedSum& sum) const { return std::rint((sum.saved - sum.price) / rules_.quantum); }

void SumSearch::keep(const Direction& direction) {
  if (double(direction.kept.size()) > rules_.max_terms) return;
  PricedSum sum = priced(direction);
  if (!sum.cut.found) return;
  const bool better = !best_.cut.found || score(sum) > score(best_) ||
                      (score(sum) == score(best_) && sum.cut.kept.size() < best_.cut.kept.size());
  if (better) best_ = std::move(sum);
}

void SumSearch::try_numbers() {
  const NumberSum& numbers = node_.sums.numbers;
  const double mean = numbers.mean(), per_step = kStep / std::sqrt(numbers.spread() / double(numbers.weight));
  std::vector<double> target(rows_.n_rows());
  for (std::size_t i = 0; i < target.size(); ++i)
    target[i] = in_steps(double(node_.weighing.level_of(node_.rows.rows[i])), mean, per_step);
  const std::vector<std::uint32_t> one_group(rows_.n_rows(), 0);
  const std::vector<double> all = rows_.sums(one_group, 1);
  std::vector<double> with_target = rows_.with_target(target);
  const double of_target = with_target.back(), total = rows_.total();
  with_target.pop_back();
  for (std::size_t j = 0; j < all.size(); ++j) with_target[j] -= all[j] * of_target / total;
  for (const Direction& d : squares_directions({centred(rows_.cross(), all, total), with_target}, rules_.ridge))
    keep(d);
}

void SumSearch::try_classes() {
  const std::size_t K = node_.sums.classes.size(), m = rows_.n_columns();
  std::vector<std::uint32_t> class_of(rows_.n_rows());
  std::vector<double> weights(K), all(m, 0.0);
  for (std::size_t i = 0; i < class_of.size(); ++i) class_of[i] = node_.weighing.target->classes[node_.rows.rows[i]];
  for (std::size_t k = 0; k < K; ++k) weights[k] = node_.weight(node_.sums.classes[k]);
  const std::vector<double> sums = rows_.sums(class_of, K);
  for (std::size_t i = 0; i < sums.size(); ++i) all[i % m] += sums[i];
  const double total = node_.weight(node_.sums.weight);
  SquareSums squares{centred(rows_.cross(), all, total), {}};
  std::vector<std::vector<std::uint8_t>> targets = groups(sums, weights);
  std::size_t chosen = 0;
  double best_score = -INFINITY;
  for (std::size_t t = 0; targets.size() > 1 && t < targets.size(); ++t) {
    squares.with_target = with_group(sums, weights, targets[t], all, total);
    const Direction full = squares_direction(squares, rules_.ridge);
    if (full.coefficients.empty()) continue;
    const PricedSum sum = priced(full);
    if (sum.cut.found && score(sum) > best_score) chosen = t, best_score = score(sum);
  }
  if (targets.empty()) return;
  squares.with_target = with_group(sums, weights, targets[chosen], all, total);
  for (const Direction& d : squares_directions(squares, rules_.ridge)) keep(d);
  double inside = 0;
  for (std::size_t k = 0; k < K; ++k) inside += targets[chosen][k] ? weights[k] : 0;
  std::vector<double> target(class_of.size());
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = targets[chosen][class_of[i]];
  for (const Direction& d : logistic_directions(rows_, target, inside / total, rules_.ridge)) keep(d);
}

std::vector<std::vector<std::uint8_t>> SumSearch::groups(std::span<const double> sums,
                                                         std::span<const double> weights) const {
  const std::size_t K = weights.size();
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < K; ++k)
    if (weights[k] > 0) present.push_back(k);
  std::vector<std::vector<std::uint8_t>> found;
  for (const std::size_t k : present) {
    if (present.size() == 2 ? k != present[1] : weights[k] < kSmallestClass) continue;
    found.emplace_back(K, 0);
    found.back()[k] = 1;
  }
  if (present.size() == 2) return found;
  const std::vector<std::uint8_t> group = principal_group(sums, weights, rows_.n_columns());
  const auto size = static_cast<std::size_t>(std::count(group.begin(), group.end(), 1));
  if (size > 0 && size < present.size() && std::find(found.begin(), found.end(), group) == found.end())
    found.push_back(group);
  return found;
}

}  // namespace tw
