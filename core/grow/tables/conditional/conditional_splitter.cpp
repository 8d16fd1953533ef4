#include "grow/tables/conditional/conditional_splitter.hpp"

#include <algorithm>  // for max, sort
#include <cmath>      // for ceil, exp, expm1, log, log1p
#include <limits>     // for numeric_limits

#include "base/tails.hpp"
#include "grow/tables/conditional/association.hpp"
#include "grow/tables/conditional/p_values.hpp"
#include "grow/tables/conditional/surrogates.hpp"

namespace tw {
namespace {

constexpr double kStepsOfLog = 67108864.0;  // 2^26: logarithms of p that agree so far are a tie

// Chances below the square root of the smallest double count as none, and only the statistic decides (as partykit).
const double kCertain = 0.5 * std::log(std::numeric_limits<double>::min());

StatisticKind statistic_of(const std::string& name) {
  if (name == "quadratic") return StatisticKind::quadratic;
  if (name == "maximum") return StatisticKind::maximum;
  throw BadInput("unknown statistic '" + name + "'");
}

// ln(1 − (1 − p)^m), without loss where p is very small or close to 1 (Šidák; partykit calls it Bonferroni).
double sidak(double log_p, double m) {
  if (m <= 1) return log_p;
  if (log_p > -1e-300) return 0;
  if (log_p < -40) return log_p + std::log(m);
  return std::log(-std::expm1(m * std::log1p(-std::exp(log_p))));
}

// x <= the last value on the left: thresholds are values that occur, not midpoints (as partykit).
Split split_at(const NodeView& node, std::int32_t column, const ColumnCounts& counts, const Cut& cut) {
  Split split;
  split.kind = TestKind::threshold, split.column = column;
  split.cut = counts.codes[cut.place - 1];
  split.threshold = node.column(column).value_of(split.cut);
  return split;
}

Split split_levels(std::int32_t column, const ColumnCounts& counts, const Cut& cut) {
  Split split;
  split.kind = TestKind::levels, split.column = column;
  for (std::size_t i = 0; i < counts.size(); ++i) split.levels.push_back({counts.codes[i], cut.branch[i]});
  return split;
}

// The right branch is the larger one of equals, as in partykit.
std::int32_t larger_branch(const ColumnCounts& counts, const Cut& cut, bool by_level) {
  std::int64_t left = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (by_level ? cut.branch[i] == 0 : i < cut.place) left += counts.weight[i];
  return left > counts.known.weight - left ? 0 : 1;
}

}  // namespace

Conditional::Conditional(const Recipe& recipe)
    : log_alpha_(std::log(recipe.options.number("alpha"))), min_split_(recipe.options.number("min_weight_split")),
      min_leaf_(recipe.options.number("min_weight_leaf")), min_share_(recipe.options.number("min_branch_share")),
      tries_(static_cast<std::size_t>(recipe.options.number("split_tries"))), adjusts_(recipe.options.flag("adjust")),
      permutes_(recipe.options.number("n_permutations") > 0), class_scores_(recipe.options.numbers("class_scores")),
      kind_(statistic_of(recipe.options.text("statistic"))),
      cut_kind_(statistic_of(recipe.options.text("split_statistic"))),
      permuting_{static_cast<std::uint64_t>(recipe.options.number("seed")),
                 static_cast<std::uint32_t>(recipe.options.number("n_permutations"))},
      missing_(recipe.missing_name),
      most_surrogates_(static_cast<std::size_t>(recipe.options.number("max_surrogates"))) {}

void Conditional::prepare(const NodeView& root) {
  scores_.resize(root.table.columns.size());
  for (const std::int32_t column : root.columns) scores_[column] = column_scores(root, column);
}

bool Conditional::is_leaf(const NodeView& node) const {
  return node.weight(node.sums.weight) < min_split_ || node.sums.is_pure();
}

void Conditional::look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const {
  Deviations deviations;
  take_deviations(counts, node.weighing.unit, class_scores_, false, deviations);
  if (!deviations.can_be_tested()) return;
  std::vector<double> scores;
  if (!scores_[column].empty())
    for (const std::uint32_t code : counts.codes) scores.push_back(scores_[column][code - 1]);
  const Association association =
      scores.empty() ? associate_levels(deviations, kind_) : associate_ordered(deviations, scores, kind_);
  found.usable = true;
  found.statistic = association.statistic, found.degrees = association.degrees;
  found.log_p = std::min(0.0, log_p(node, column, counts, deviations, scores, found));
}

double Conditional::log_p(const NodeView& node, std::int32_t column, const ColumnCounts& counts,
                          const Deviations& deviations, std::span<const double> scores, const Found& found) const {
  if (permutes_)
    return permuted_log_p(node, column, counts, deviations, scores, class_scores_, kind_, found.statistic, permuting_);
  if (kind_ == StatisticKind::quadratic) return log_chi_square_tail(found.statistic, found.degrees);
  return log_maximum_tail(found.statistic, deviations, scores.empty(), permuting_.seed);
}

// Smallest p first, then the larger statistic, then the later column (as partykit).
std::vector<std::size_t> Conditional::rank(const NodeView& node, std::span<Found> found) const {
  struct Key {
    double chance, steps;
    std::size_t i;
  };
  std::vector<Key> keys;
  double tested = 0;
  for (const Found& f : found) tested += f.usable;
  const double n = node.weight(node.sums.weight);
  for (std::size_t i = 0; i < found.size(); ++i) {
    Found& f = found[i];
    if (!f.usable) continue;
    f.log_p_adjusted = sidak(f.log_p, adjusts_ ? tested : 1);
    const double chance = std::floor(std::max(f.log_p_adjusted, kCertain) * kStepsOfLog + 0.5);
    keys.push_back({chance, in_steps(f.statistic, n, kind_), i});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    if (a.chance != b.chance) return a.chance < b.chance;
    return a.steps != b.steps ? a.steps > b.steps : a.i > b.i;
  });
  std::vector<std::size_t> order;
  for (const Key& key : keys) order.push_back(key.i);
  return order;
}

Decision Conditional::choose(const NodeView& node, std::span<Found> found, Counter& counter) const {
  Decision decision;
  const std::vector<std::size_t> order = rank(node, found);
  if (order.empty()) return decision;
  auto keep = [&](const Found& f) { decision.extras = {f.statistic, f.degrees, f.log_p, f.log_p_adjusted}; };
  keep(found[order[0]]);
  for (std::size_t t = 0; t < std::min(tries_, order.size()); ++t) {
    const Found& candidate = found[order[t]];
    if (!(candidate.log_p_adjusted < log_alpha_)) break;
    decision.split = cut(node, node.columns[order[t]], counter);
    if (!decision.split) continue;
    keep(candidate);
    break;
  }
  return decision;
}

std::optional<Split> Conditional::cut(const NodeView& node, std::int32_t column, Counter& counter) const {
  ColumnCounts counts;
  counter.count(node.rows, column, counts);
  const bool in_cut = missing_ == "learn" && counts.missing.weight > 0;
  Deviations deviations;
  take_deviations(counts, node.weighing.unit, class_scores_, in_cut, deviations);
  const double share = std::ceil(node.weight(node.sums.weight) * min_share_);
  const double least = std::max(min_leaf_, share) / node.weighing.unit;
  const bool ordered = node.column(column).ordered();
  const Cut cut =
      ordered ? cut_ordered(deviations, cut_kind_, least, in_cut) : cut_levels(deviations, cut_kind_, least);
  if (!cut.found) return std::nullopt;
  Split split = ordered ? split_at(node, column, counts, cut) : split_levels(column, counts, cut);
  send_missing(counts, cut, in_cut, split);
  if (missing_ == "surrogates") find_surrogates(node, split);
  return split;
}

// p-values of surrogates are those of the limiting distribution, whatever the test of the columns is.
void Conditional::find_surrogates(const NodeView& node, Split& split) const {
  const auto log_p = [this](const Association& found, const Deviations& deviations, bool by_level) {
    if (kind_ == StatisticKind::quadratic) return log_chi_square_tail(found.statistic, found.degrees);
    return log_maximum_tail(found.statistic, deviations, by_level, permuting_.seed);
  };
  std::vector<std::uint16_t> ways = ways_of_rows(node, split);
  split.surrogates =
      conditional_surrogates(node, split.column, ways, {most_surrogates_, kind_, cut_kind_, scores_, log_p});
  send_by_surrogates(node, split.surrogates, static_cast<std::uint16_t>(split.missing), ways);
  split.route = std::move(ways);
}

void Conditional::send_missing(const ColumnCounts& counts, const Cut& cut, bool in_cut, Split& split) const {
  if (missing_ == "stop")
    split.missing = kMissingStops;
  else if (missing_ == "fractional")
    split.missing = kMissingSpreads;
  else if (missing_ == "branch" && counts.missing.weight > 0)
    split.missing = static_cast<std::int32_t>(split.n_branches++);
  else
    split.missing = in_cut ? cut.branch.back() : larger_branch(counts, cut, split.kind == TestKind::levels);
}

}  // namespace tw
