#include "grow/tables/c45/c45_splitter.hpp"

#include <algorithm>  // for all_of, lower_bound, max_element, min, upper_bound
#include <cmath>      // for abs, isfinite
#include <limits>     // for numeric_limits

#include "grow/tables/c45/gain_ratio.hpp"
#include "grow/tables/c45/level_tests.hpp"
#include "grow/tables/c45/threshold_test.hpp"

namespace tw {
namespace {

constexpr double kManyLevels = 0.3;         // of the rows
constexpr double kLargestLookup = 1 << 17;  // whole weights up to here have their logarithm in a table of 1 MiB
constexpr std::uint32_t kMostBranches = 65535;

std::vector<bool> codes_that_occur(const RankedColumn& column, const std::vector<std::uint32_t>& rows) {
  std::vector<bool> occurs(column.n_codes + 1, false);
  column.visit_codes([&](const auto* codes) {
    for (const std::uint32_t row : rows) occurs[codes[row]] = true;
  });
  return occurs;
}

struct Scratch {
  ClassTable table;
  ThresholdTest test{table};
};

// Not inlined: the address of what belongs to a thread would be asked for again at every use.
[[gnu::noinline]] Scratch& scratch_of_thread() {
  static thread_local Scratch scratch;
  return scratch;
}

bool are_far_apart(const std::vector<double>& values, double gap) {
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(values[i - 1] + gap < values[i])) return false;
  return true;
}

double middle_of(double low, double high) {
  const double middle = std::isfinite(low + high) ? (low + high) / 2 : low / 2 + high / 2;
  return middle < high ? middle : low;
}

// The last code whose value is not above the middle of two others. Decimals are rounded to doubles, and so is their
// middle: a value within four roundings of it is not above it. With J48's margin it may be above by almost a millionth.
std::uint32_t last_code_up_to(double middle, double low, double high, const std::vector<double>& values,
                              double margin) {
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(low), std::abs(high));
  auto above = std::upper_bound(values.begin(), values.end(), middle + rounding);
  while (above != values.end() && *above - middle < margin) ++above;
  if (above != values.begin() && *(above - 1) >= high) above = std::lower_bound(values.begin(), values.end(), high);
  return static_cast<std::uint32_t>(above - values.begin());
}

}  // namespace

GainRatio::GainRatio(const Options& options) {
  rules_.variant = options.text("variant") == "j48" ? C45Variant::j48 : C45Variant::release_8;
  rules_.min_weight = options.number("min_weight");
  rules_.binary = options.flag("binary");
  rules_.subsets = options.flag("subsets");
  rules_.mdl_correction = options.flag("mdl_correction");
  rules_.observed_threshold = options.flag("observed_threshold");
  rules_.value_gap = options.number("value_gap");
  if (options.has("whole_weight")) whole_weight_ = options.number("whole_weight");
}

// The weight of all rows that count, also of those that are kept for pruning, or that are elsewhere.
double GainRatio::weight_of_all(const NodeView& root) const {
  const Target& target = *root.weighing.target;
  if (whole_weight_ > 0) return whole_weight_;
  if (target.rows.empty()) return root.weight(root.sums.weight);
  double weight = 0;
  for (const std::uint32_t row : target.rows) weight += double(target.weight_of(row)) * target.weight_unit;
  return weight;
}

// Thresholds and the rule of many levels look at all rows that count, not at those of the root alone.
void GainRatio::prepare(const NodeView& root) {
  const Target& target = *root.weighing.target;
  const double weight = weight_of_all(root);
  bits_ = std::make_unique<Bits>(static_cast<std::size_t>(std::min(weight, kLargestLookup)));
  // where rows are elsewhere, only values of those that count are codes
  const bool every_row_counts = target.rows.empty() || target.rows.size() == root.table.n_rows;
  for (const RankedColumn& column : root.table.columns) {
    const bool needed = column.ordered() && !every_row_counts;
    far_apart_.push_back(are_far_apart(column.values, rules_.value_gap));
    occurs_.push_back(needed ? codes_that_occur(column, target.rows) : std::vector<bool>());
    has_many_levels_.push_back(!column.ordered() && column.n_codes >= kManyLevels * weight - C45Rules::kTiny);
  }
  // Where every column is such, or levels may be put together, none is excluded.
  if (rules_.subsets || std::all_of(has_many_levels_.begin(), has_many_levels_.end(), [](bool many) { return many; }))
    has_many_levels_.assign(has_many_levels_.size(), false);
}

bool GainRatio::is_leaf(const NodeView& node) const {
  const std::int64_t most = *std::max_element(node.sums.classes.begin(), node.sums.classes.end());
  return node.weight(node.sums.weight) < 2 * rules_.min_weight - C45Rules::kTiny ||
         node.weight(node.sums.weight - most) < C45Rules::kTiny;
}

void GainRatio::look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const {
  if (found.constant) return;
  Scratch& scratch = scratch_of_thread();
  ClassTable& table = scratch.table;
  table.take(counts, node.weighing.unit, *bits_);
  const RankedColumn& c = node.column(column);
  C45Worth worth;
  if (!c.ordered()) {
    worth = look_at_levels(c, counts, table, node.workers, found);
  } else {
    const bool far_apart = far_apart_[column];
    worth = scratch.test.find(rules_, *bits_, far_apart, [&](std::size_t l) {
      return far_apart || c.value_of(counts.codes[l]) + rules_.value_gap < c.value_of(counts.codes[l + 1]);
    });
    found.cut = counts.codes[worth.place], found.next = counts.codes[worth.place + 1];
  }
  found.usable = worth.usable;
  found.gain = worth.gain, found.score = worth.ratio, found.statistic = worth.split_info;
}

Decision GainRatio::choose(const NodeView& node, std::span<Found> found, Counter& /*counter*/) const {
  double sum = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].usable && !has_many_levels_[node.columns[i]]) sum += found[i].gain, ++n;
  if (n == 0) return {};
  const double mean = sum / double(n);
  const Found* best = nullptr;
  std::int32_t column = -1;
  double ratio = (rules_.is_j48() ? 0 : -C45Rules::kEpsilon) + rules_.margin();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].usable || found[i].gain < mean - C45Rules::kEpsilon || found[i].score <= ratio) continue;
    if (!rules_.is_j48() && found[i].statistic <= C45Rules::kEpsilon) continue;
    best = &found[i], column = node.columns[i];
    ratio = found[i].score + rules_.margin();
  }
  Decision decision;
  if (best) decision.split = split_of(node, column, *best);
  return decision;
}

// found.cut: the level that is told from the rest; found.levels: levels put together.
C45Worth GainRatio::look_at_levels(const RankedColumn& column, const ColumnCounts& counts, const ClassTable& table,
                                   Workers& workers, Found& found) const {
  if (column.n_codes > kMostBranches) return {};
  LevelTests tests(table, rules_, *bits_);
  if (rules_.subsets && column.n_codes > 2) {
    LevelClimb climb(table, rules_, *bits_, workers);
    const C45Worth worth = climb.run();
    for (std::uint16_t b = 0; worth.usable && b < climb.blocks().size(); ++b)
      for (const std::uint32_t place : climb.blocks()[b]) found.levels.push_back({counts.codes[place], b});
    found.n_branches = static_cast<std::uint32_t>(climb.blocks().size());
    return worth;
  }
  if (!rules_.binary) {
    found.n_branches = column.n_codes;
    return tests.multiway();
  }
  const C45Worth worth = tests.one_against_the_rest();
  found.cut = counts.codes[worth.place];
  return worth;
}

Split GainRatio::split_of(const NodeView& node, std::int32_t column, const Found& found) const {
  const RankedColumn& c = node.column(column);
  Split split;
  split.column = column, split.missing = kMissingSpreads;
  if (c.ordered())
    set_threshold(c, column, found, split);
  else
    set_levels(c, found, split);
  return split;
}

void GainRatio::set_threshold(const RankedColumn& column, std::int32_t c, const Found& found, Split& split) const {
  const double low = column.value_of(found.cut), high = column.value_of(found.next);
  split.kind = TestKind::threshold;
  split.threshold = middle_of(low, high);
  split.cut = found.cut;
  if (!rules_.observed_threshold && column.kind != Kind::ordinal) return;
  split.cut = last_code_up_to(split.threshold, low, high, column.values, rules_.margin());
  while (!occurs_[c].empty() && !occurs_[c][split.cut]) --split.cut;
  split.threshold = column.value_of(split.cut);
}

void GainRatio::set_levels(const RankedColumn& column, const Found& found, Split& split) const {
  split.kind = TestKind::levels;
  const bool grouped = rules_.subsets && column.n_codes > 2;
  const auto spare = static_cast<std::uint16_t>(found.n_branches);
  split.levels.resize(column.n_codes);
  for (std::uint32_t code = 1; code <= column.n_codes; ++code) {
    const auto own = static_cast<std::uint16_t>(rules_.binary ? code != found.cut : code - 1);
    split.levels[code - 1] = {code, grouped ? spare : own};
  }
  for (const LevelBranch& level : found.levels) split.levels[level.code - 1] = level;
  split.n_branches = found.n_branches + (grouped && found.levels.size() < column.n_codes);
}

}  // namespace tw
