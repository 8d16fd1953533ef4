#include "grow/splitter/oblique/sum_search.hpp"

#include <algorithm>  // for find
#include <cmath>      // for log2, rint, sqrt

#include "grow/splitter/oblique/axis_cut.hpp"

namespace tw {
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
