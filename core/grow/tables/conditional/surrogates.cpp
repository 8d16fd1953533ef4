#include "grow/tables/conditional/surrogates.hpp"

#include <algorithm>  // for lower_bound, max, min_element, sort, stable_sort
#include <cmath>      // for abs, exp, floor, log, log1p
#include <limits>     // for numeric_limits
#include <numeric>    // for iota

#include "grow/tables/conditional/best_cut.hpp"

namespace tw {
namespace {

struct Tested {
  std::int32_t column;
  double statistic, log_p;  // logarithms of both, in steps that rounding does not reach
  double chance;            // ln(1 − p)
};

double in_steps_of_log(double log) { return std::floor(log * 67108864.0 + 0.5); }  // 2^26

// Counts of one column by the ways of the rows that have one, code by code in ascending order.
class WayCounts {
 public:
  WayCounts() {
    counts.n_classes = 2;
    counts.missing.classes.assign(2, 0), counts.known.classes.assign(2, 0);
  }
  void add(std::uint32_t code, std::uint32_t rows, std::int64_t left, std::int64_t right) {
    if (counts.codes.empty() || counts.codes.back() != code) {
      counts.codes.push_back(code), counts.rows.push_back(0), counts.weight.push_back(0);
      counts.classes.insert(counts.classes.end(), {0, 0});
    }
    counts.rows.back() += rows, counts.weight.back() += left + right;
    counts.classes[counts.classes.size() - 2] += left, counts.classes.back() += right;
    counts.known.rows += rows, counts.known.weight += left + right;
    counts.known.classes[0] += left, counts.known.classes[1] += right;
  }

  ColumnCounts counts;
};

// Few codes have a place each; of many the rows are sorted.
ColumnCounts count_ways(const NodeView& node, std::int32_t column, std::span<const std::uint16_t> ways) {
  const RankedColumn& asked = node.column(column);
  WayCounts result;
  asked.visit_codes([&](const auto* codes) {
    if (asked.n_codes <= ways.size()) {
      std::vector<std::int64_t> weight(2 * (std::size_t(asked.n_codes) + 1), 0);
      std::vector<std::uint32_t> rows(std::size_t(asked.n_codes) + 1, 0);
      for (std::size_t i = 0; i < ways.size(); ++i) {
        if (ways[i] == kNoWay) continue;
        const std::uint32_t row = node.rows.rows[i], code = codes[row];
        weight[2 * std::size_t(code) + ways[i]] += node.weighing.weight_of(row), ++rows[code];
      }
      for (std::uint32_t code = 1; code <= asked.n_codes; ++code)
        if (rows[code]) result.add(code, rows[code], weight[2 * std::size_t(code)], weight[2 * std::size_t(code) + 1]);
      return;
    }
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (const std::uint32_t code = codes[node.rows.rows[i]]; code && ways[i] != kNoWay)
        words.push_back(std::uint64_t(code) << 32 | i);
    std::sort(words.begin(), words.end());
    for (const std::uint64_t word : words) {
      const auto i = static_cast<std::uint32_t>(word);
      const std::int64_t w = node.weighing.weight_of(node.rows.rows[i]);
      result.add(static_cast<std::uint32_t>(word >> 32), 1, ways[i] ? 0 : w, ways[i] ? w : 0);
    }
  });
  return std::move(result.counts);
}

// Smallest p first. Where p is zero to the last bit of 1 − p, partykit means to go by the statistic: it adds `order` of
// the statistics where their rank is meant. With two such columns that is the same; with three and more it need not be.
// We do as it does.
void put_in_order(std::vector<Tested>& tested) {
  if (tested.empty()) return;
  const Tested best =
      *std::min_element(tested.begin(), tested.end(), [](const auto& a, const auto& b) { return a.log_p < b.log_p; });
  std::vector<std::size_t> tied, by_statistic;
  for (std::size_t i = 0; i < tested.size(); ++i)
    if (std::abs(tested[i].chance - best.chance) < std::numeric_limits<double>::epsilon() ||
        tested[i].log_p == best.log_p)
      tied.push_back(i);
  by_statistic.resize(tied.size());
  std::iota(by_statistic.begin(), by_statistic.end(), std::size_t(0));
  std::stable_sort(by_statistic.begin(), by_statistic.end(),
                   [&](std::size_t a, std::size_t b) { return tested[tied[a]].statistic < tested[tied[b]].statistic; });
  std::vector<std::size_t> bonus(tested.size(), 0), order(tested.size());
  for (std::size_t i = 0; tied.size() > 1 && i < tied.size(); ++i) bonus[tied[i]] = by_statistic[i] + 1;
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return bonus[a] != bonus[b] ? bonus[a] > bonus[b] : tested[a].log_p < tested[b].log_p;
  });
  std::vector<Tested> sorted;
  for (const std::size_t i : order) sorted.push_back(tested[i]);
  tested = std::move(sorted);
}

// The cut of a column that tells the ways apart best, turned where more of its left rows go right.
bool cut_surrogate(const NodeView& node, std::int32_t column, std::span<const std::uint16_t> ways,
                   const ConditionalSurrogateRules& rules, Surrogate& surrogate) {
  const ColumnCounts counts = count_ways(node, column, ways);
  Deviations deviations;
  take_deviations(counts, node.weighing.unit, {}, false, deviations);
  const bool ordered = node.column(column).ordered();
  const Cut cut =
      ordered ? cut_ordered(deviations, rules.cut_kind, 0, false) : cut_levels(deviations, rules.cut_kind, 0);
  if (!cut.found) return false;
  surrogate.column = column;
  std::int64_t left[2] = {0, 0}, right[2] = {0, 0};
  std::vector<std::uint16_t> side(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    side[i] = ordered ? i >= cut.place : cut.branch[i];
    for (int b : {0, 1}) (side[i] ? right : left)[b] += counts.classes[2 * i + b];
  }
  // partykit looks at the left side only, and counts rows whatever they weigh. Which side of levels is left depends on
  // their order, so those are turned where that sends more rows the right way.
  surrogate.flip = ordered ? left[0] < left[1] : left[0] + right[1] < left[1] + right[0];
  const std::int64_t agree = surrogate.flip ? left[1] + right[0] : left[0] + right[1];
  const std::int64_t all = counts.known.weight, most = std::max(left[0] + right[0], left[1] + right[1]);
  surrogate.agreement = double(agree) / double(all);
  surrogate.adjusted = all > most ? double(agree - most) / double(all - most) : 0;
  if (ordered) {
    surrogate.threshold = node.column(column).value_of(counts.codes[cut.place - 1]);
    return true;
  }
  surrogate.threshold = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < counts.size(); ++i)
    surrogate.levels.emplace_back(counts.codes[i], static_cast<std::uint16_t>(side[i] ^ surrogate.flip));
  surrogate.flip = false;
  return true;
}

}  // namespace

std::vector<std::uint16_t> ways_of_rows(const NodeView& node, const Split& split) {
  const RankedColumn& column = node.column(split.column);
  std::vector<std::uint16_t> of_code(column.n_codes + 1, kNoWay), ways;
  if (split.kind == TestKind::threshold)
    for (std::uint32_t code = 1; code <= column.n_codes; ++code) of_code[code] = code > split.cut;
  for (const LevelBranch& level : split.levels) of_code[level.code] = level.branch;
  column.visit_codes([&](const auto* codes) {
    for (const std::uint32_t row : node.rows.rows) ways.push_back(of_code[codes[row]]);
  });
  return ways;
}

std::vector<Surrogate> conditional_surrogates(const NodeView& node, std::int32_t own,
                                              std::span<const std::uint16_t> ways,
                                              const ConditionalSurrogateRules& rules) {
  std::vector<Tested> tested;
  for (const std::int32_t column : node.columns) {
    if (column == own) continue;
    node.workers.checkpoint();
    const ColumnCounts counts = count_ways(node, column, ways);
    Deviations deviations;
    take_deviations(counts, node.weighing.unit, {}, false, deviations);
    if (!deviations.can_be_tested()) continue;
    std::vector<double> scores;
    if (!rules.scores[column].empty())
      for (const std::uint32_t code : counts.codes) scores.push_back(rules.scores[column][code - 1]);
    const Association found =
        scores.empty() ? associate_levels(deviations, rules.kind) : associate_ordered(deviations, scores, rules.kind);
    const double log_p = std::min(0.0, rules.log_p(found, deviations, scores.empty()));
    if (in_steps_of_log(log_p) < 0)  // else nothing is told
      tested.push_back(
          {column, in_steps_of_log(std::log(found.statistic)), in_steps_of_log(log_p), std::log1p(-std::exp(log_p))});
  }
  put_in_order(tested);
  std::vector<Surrogate> found;
  for (std::size_t i = 0; i < std::min(rules.most, tested.size()); ++i)
    if (Surrogate surrogate; cut_surrogate(node, tested[i].column, ways, rules, surrogate))
      found.push_back(std::move(surrogate));
  return found;
}

void send_by_surrogates(const NodeView& node, const std::vector<Surrogate>& surrogates, std::uint16_t otherwise,
                        std::vector<std::uint16_t>& ways) {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (ways[i] != kNoWay) continue;
    for (const Surrogate& surrogate : surrogates) {
      const RankedColumn& column = node.column(surrogate.column);
      const std::uint32_t code = column.code(node.rows.rows[i]);
      if (code == 0) continue;
      if (surrogate.levels.empty()) {
        ways[i] = (column.value_of(code) <= surrogate.threshold) == surrogate.flip;
        break;
      }
      const auto at = std::lower_bound(surrogate.levels.begin(), surrogate.levels.end(), code,
                                       [](const auto& level, std::uint32_t c) { return level.first < c; });
      if (at == surrogate.levels.end() || at->first != code) continue;
      ways[i] = at->second;
      break;
    }
    if (ways[i] == kNoWay) ways[i] = otherwise;
  }
}

}  // namespace tw
