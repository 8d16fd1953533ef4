#include "grow/tables/chaid/chaid_splitter.hpp"

#include <algorithm>  // for max, max_element, sort
#include <cmath>      // for log
#include <limits>     // for numeric_limits
#include <utility>    // for move

#include "grow/tables/chaid/cells.hpp"
#include "grow/tables/chaid/sampled_cells.hpp"

namespace tw::chaid {

Bins bins_of(std::span<const double> values, std::span<const std::int64_t> weight, int bins) {
  std::int64_t total = 0, below = 0;
  for (const std::int64_t w : weight) total += w;
  Bins found;
  __int128 last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weight[i] > 0) {  // numbers that only rows without weight have make no bin
      below += weight[i];
      const __int128 bin = (static_cast<__int128>(bins) * below + total - 1) / total;
      if (bin != last) found.uppers.emplace_back();
      found.uppers.back() = values[i], last = bin;
    }
    found.of_value.push_back(static_cast<std::uint8_t>(found.uppers.empty() ? 1 : found.uppers.size()));
  }
  return found;
}

void bin_numbers(RankedColumn& column, std::span<const std::uint32_t> rows, const Target& target, int bins,
                 bool by_rows) {
  std::vector<std::int64_t> weight(column.n_codes + 1, 0);
  column.visit_codes([&](const auto* codes) {
    for (const std::uint32_t row : rows) weight[codes[row]] += by_rows ? 1 : target.weight_of(row);
  });
  Bins found = bins_of({column.values.data(), column.n_codes}, std::span(weight).subspan(1), bins);
  std::vector<double>& uppers = found.uppers;
  auto bin_of = [&](std::uint32_t code) { return code ? found.of_value[code - 1] : std::uint8_t(0); };
  std::vector<std::uint8_t> codes(column.width == 1   ? column.codes8.size()
                                  : column.width == 2 ? column.codes16.size()
                                                      : column.codes32.size());
  column.visit_codes([&](const auto* ranks) {
    for (std::size_t row = 0; row < codes.size(); ++row) codes[row] = bin_of(ranks[row]);
  });
  column.n_codes = static_cast<std::uint32_t>(uppers.size());
  column.values = std::move(uppers);
  column.codes8 = std::move(codes), column.codes16.clear(), column.codes32.clear();
  column.width = 1;
}

}  // namespace tw::chaid

namespace tw {

namespace {

std::vector<double> class_counts(const ColumnCounts& counts, bool with_missing, std::size_t slots, double unit) {
  std::vector<double> cells(slots * counts.n_classes, 0.0);
  for (std::size_t i = 0; i < counts.classes.size(); ++i) cells[i] = double(counts.classes[i]) * unit;
  if (with_missing)
    for (std::size_t k = 0; k < counts.n_classes; ++k)
      cells[counts.classes.size() + k] = double(counts.missing.classes[k]) * unit;
  return cells;
}

// Smaller adjusted p, then the larger statistic for its degrees of freedom. Columns come in order.
bool is_better(const Found& a, const Found& b) {
  const double rank_a = chaid::rank_of(a.log_p_adjusted), rank_b = chaid::rank_of(b.log_p_adjusted);
  if (rank_a != rank_b) return rank_a > rank_b;
  return chaid::rank_of(a.statistic / std::max(a.degrees, 1.0)) >
         chaid::rank_of(b.statistic / std::max(b.degrees, 1.0));
}

// Two branches of known values are told apart by one threshold, more by intervals; a single one beside missing by
// whether there is a value at all.
void cut_ordered(Split& split, const RankedColumn& column, const std::vector<std::uint32_t>& ends) {
  if (ends.size() > 2) {
    split.kind = TestKind::intervals;
    for (std::size_t b = 0; b + 1 < ends.size(); ++b) split.uppers.push_back(column.value_of(ends[b]));
    return;
  }
  split.kind = TestKind::threshold;
  split.cut = ends[0];
  split.threshold = ends.size() == 2 ? column.value_of(ends[0]) : std::numeric_limits<double>::infinity();
}

}  // namespace

MergedCategories::MergedCategories(const Recipe& recipe) {
  const Options& options = recipe.options;
  rules_.log_alpha_merge = std::log(options.number("alpha_merge"));
  if (options.has("alpha_resplit")) rules_.log_alpha_resplit = std::log(options.number("alpha_resplit"));
  rules_.exhaustive = options.flag("exhaustive");
  rules_.as_spss = options.text("exhaustive_adjust") == "spss";
  rules_.bonferroni = options.flag("bonferroni");
  rules_.min_segment = options.number("min_segment");
  statistic_ = options.text("statistic");
  scores_ = options.numbers("scores");
  log_alpha_split_ = std::log(options.number("alpha_split"));
  smallest_node_ = options.number("min_parent");
  smallest_branch_ = options.number("min_child");
  bins_ = static_cast<int>(options.number("bins"));
  missing_is_category_ = recipe.missing_name == "branch";
  missing_goes_to_larger_ = recipe.missing_name == "larger";
  sampled_ = options.text("weights") == "sampling";
}

void MergedCategories::recode(RankedTable& table, std::span<const std::uint32_t> rows, const Target& target) {
  for (RankedColumn& column : table.columns)
    if (column.kind == Kind::numeric) chaid::bin_numbers(column, rows, target, bins_, sampled_);
}

bool MergedCategories::is_leaf(const NodeView& node) const {
  const double size = sampled_ ? double(node.sums.rows) : node.weight(node.sums.weight);
  return size < smallest_node_ || node.sums.is_pure();
}

// Counts of rows beside their weights. The table of counts has weights only, so rows are counted here.
std::unique_ptr<chaid::Cells> MergedCategories::sampled_cells(const NodeView& node, std::int32_t column,
                                                              const ColumnCounts& counts, bool with_missing,
                                                              std::size_t slots) const {
  const RankedColumn& asked = node.column(column);
  const std::size_t K = counts.n_classes;
  std::vector<std::size_t> place_of(asked.n_codes + 1, slots);
  for (std::size_t i = 0; i < counts.size(); ++i) place_of[counts.codes[i]] = i;
  if (with_missing) place_of[0] = counts.size();
  std::vector<double> rows(slots * K, 0.0);
  asked.visit_codes([&](const auto* codes) {
    for (const std::uint32_t row : node.rows.rows)
      if (const std::size_t place = place_of[codes[row]]; place < slots)
        ++rows[place * K + node.weighing.target->classes[row]];
  });
  return std::make_unique<chaid::SampledCells>(std::move(rows),
                                               class_counts(counts, with_missing, slots, node.weighing.unit),
                                               counts.n_classes, scores_, statistic_ == "likelihood");
}

MergedCategories::Categories MergedCategories::categories(const NodeView& node, std::int32_t column,
                                                          const ColumnCounts& counts) const {
  const bool with_missing = missing_is_category_ && counts.missing.weight > 0;
  Categories found;
  found.merging = node.column(column).kind == Kind::nominal ? chaid::Merging::free
                  : with_missing                            ? chaid::Merging::floating
                                                            : chaid::Merging::monotonic;
  found.count = counts.size() + with_missing;
  const std::size_t slots = 2 * found.count + chaid::Groups::kSpareSlots;
  const double unit = node.weighing.unit;
  if (statistic_ == "f") {
    std::vector<NumberSum> cells = counts.numbers;
    if (with_missing) cells.push_back(counts.missing.numbers);
    cells.resize(slots);
    std::vector<double> rows;
    if (sampled_) {
      rows.assign(counts.rows.begin(), counts.rows.end());
      if (with_missing) rows.push_back(counts.missing.rows);
      rows.resize(slots);
    }
    found.cells = std::make_unique<chaid::NumberCells>(std::move(cells), unit, std::move(rows));
  } else if (sampled_) {
    found.cells = sampled_cells(node, column, counts, with_missing, slots);
  } else if (statistic_ == "row_effects") {
    found.cells = std::make_unique<chaid::OrderedCells>(class_counts(counts, with_missing, slots, unit), scores_);
  } else {
    found.cells = std::make_unique<chaid::ClassCells>(class_counts(counts, with_missing, slots, unit), counts.n_classes,
                                                      statistic_ == "likelihood");
  }
  found.cells->workers = &node.workers;
  return found;
}

void MergedCategories::look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const {
  found.constant = counts.size() + (counts.missing.weight > 0) < 2;
  const Categories here = categories(node, column, counts);
  if (here.count < 2) return;
  const chaid::Merged merged = chaid::merge_categories(*here.cells, here.merging, here.count, rules_);
  found.usable = true;
  found.statistic = merged.answer.statistic, found.degrees = merged.answer.df;
  found.log_p = merged.answer.log_p, found.log_p_adjusted = merged.log_p_adjusted;
  for (std::size_t branch = 0; branch < merged.partition.size(); ++branch)
    for (const chaid::Category category : merged.partition[branch])
      found.levels.push_back({category, static_cast<std::uint16_t>(branch)});  // categories here, not codes yet
  found.n_branches = static_cast<std::uint32_t>(merged.partition.size());
}

Decision MergedCategories::choose(const NodeView& node, std::span<Found> found, Counter& counter) const {
  std::size_t best = found.size();
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].usable && (best == found.size() || is_better(found[i], found[best]))) best = i;
  Decision decision;
  if (best == found.size() || found[best].log_p_adjusted > log_alpha_split_) return decision;
  const std::int32_t column = node.columns[best];
  ColumnCounts counts;
  counter.count(node.rows, column, counts);
  const Categories here = categories(node, column, counts);
  chaid::Partition partition(found[best].n_branches);
  for (const LevelBranch& level : found[best].levels) partition[level.branch].push_back(level.code);
  const chaid::Merged joined =
      chaid::join_small_groups(*here.cells, here.merging, here.count, partition, smallest_branch_, rules_);
  if (joined.partition.size() < 2 || joined.log_p_adjusted > log_alpha_split_) return decision;
  decision.split = split_of(node, column, counts, joined.partition);
  decision.extras = {joined.answer.statistic, joined.answer.df, joined.answer.log_p, joined.log_p_adjusted};
  return decision;
}

// Levels of a nominal column are sorted into branches; ordered columns are cut, once or several times.
Split MergedCategories::split_of(const NodeView& node, std::int32_t column, const ColumnCounts& counts,
                                 const chaid::Partition& partition) const {
  const RankedColumn& asked = node.column(column);
  Split split;
  split.kind = TestKind::levels, split.column = column;
  split.n_branches = static_cast<std::uint32_t>(partition.size());
  std::vector<std::int64_t> weight(partition.size(), 0);
  std::vector<std::uint32_t> ends;  // the last code of each branch that has known values
  for (std::size_t branch = 0; branch < partition.size(); ++branch) {
    for (const chaid::Category category : partition[branch]) {
      if (category == counts.size()) {
        split.missing = static_cast<std::int32_t>(branch);
        continue;
      }
      split.levels.push_back({counts.codes[category], static_cast<std::uint16_t>(branch)});
      weight[branch] += counts.weight[category];
    }
    if (weight[branch] > 0) ends.push_back(split.levels.back().code);
  }
  std::sort(split.levels.begin(), split.levels.end(), [](auto a, auto b) { return a.code < b.code; });
  if (missing_goes_to_larger_)
    split.missing = static_cast<std::int32_t>(std::max_element(weight.begin(), weight.end()) - weight.begin());
  if (asked.ordered()) cut_ordered(split, asked, ends);
  return split;
}

}  // namespace tw
