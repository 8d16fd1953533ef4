#include "grow/forest/growing_tree.hpp"

#include <algorithm>  // for clamp, copy, find, max, min
#include <limits>     // for numeric_limits

#include "grow/forest/leaf_rows.hpp"
#include "grow/threshold_value.hpp"

namespace tw {
namespace {

void prefetch(const ForestColumn& column, const CodeRange& range) {
  if (!column.ordered()) return;
  __builtin_prefetch(&column.lowest[range.lowest - 1]);
  __builtin_prefetch(&column.highest[range.highest - 1]);
}

}  // namespace

GrowingTree::GrowingTree(const ForestCodes& codes, const Target& target, const ForestRules& rules, Workers& workers)
    : codes_(codes), target_(target), rules_(rules), workers_(workers),
      draw_(static_cast<std::uint32_t>(codes.n_columns)) {
  block_rows_ = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(rules.block_bytes / (2 * std::max<std::size_t>(1, codes.n_columns)), 8, 65535));
}

void GrowingTree::take_rows(const Draws& draws) {
  rows_.resize(target_.rows.size());
  std::size_t n = 0;
  for (const std::uint32_t row : target_.rows) {
    rows_[n] = row;
    n += draws.counts[row] && counts_at_all(row);
  }
  rows_.resize(n);
  grown_ = SmallTree{};
  room_.make(grown_, target_.is_regression());
  if (!target_.is_regression()) grown_.count_start.push_back(0);
  spare_.resize(rows_.size());
  codes_of_node_.resize(rows_.size() + kSlack), codes_of_best_.resize(rows_.size() + kSlack);
  side_of_row_.resize(rows_.size() + kSlack);
}

bool GrowingTree::counts_at_all(std::uint32_t row) const {
  return rules_.class_weights.empty() || rules_.class_weights[target_.classes[row]] > 0;
}

void GrowingTree::forget_block() {
  block_end_ = 0;
  view_ = {codes_.codes.data(), codes_.n_columns, 1};
}

// Most of the rows: column by column they lie close together.
void GrowingTree::choose_view(const Pending& node) {
  if (std::size_t{node.n} * 8 >= codes_.n_rows && codes_.n_rows < 1u << 31)
    view_ = {codes_.by_column.data(), 1, codes_.n_rows};
  else
    view_ = {codes_.codes.data(), codes_.n_columns, 1};
}

void GrowingTree::fetch_codes(std::int32_t column, const std::uint32_t* rows, std::uint32_t n) {
  if (column == kept_) return std::swap(codes_of_node_, codes_of_best_);
  const auto wanted = static_cast<std::uint32_t>(column);
  const auto k = static_cast<std::size_t>(std::find(together_.begin(), together_.end(), wanted) - together_.begin());
  if (k == together_.size()) return view_.gather(wanted, rows, n, codes_of_node_.data());
  std::copy_n(codes_together_.data() + k * n, n, codes_of_node_.data());
}

void GrowingTree::fill_lanes(std::uint32_t n_drawn, const std::uint32_t* rows, std::uint32_t n) {
  const std::uint32_t count = std::min(rules_.max_features, draw_.size()) - n_drawn;
  lanes_.clear();
  while (lanes_.count() < std::min(kLanes, count)) lanes_.add(draw_.next());
  lanes_.pick(view_, codes_.columns, rows, n);
}

void GrowingTree::gather_together(std::uint32_t count, const std::uint32_t* rows, std::uint32_t n) {
  together_.clear();
  while (together_.size() < count) together_.push_back(draw_.next());
  codes_together_.resize(std::max<std::size_t>(codes_together_.size(), together_.size() * n + kSlack));
  view_.gather(together_, rows, n, codes_together_.data());
  ranges_.resize(together_.size());
  for (std::size_t k = 0; k < together_.size(); ++k) {
    ranges_[k] = known_range(codes_together_.data() + k * n, n);
    if (rules_.random_cuts && !ranges_[k].one_known()) prefetch(codes_.columns[together_[k]], ranges_[k]);
  }
}

void GrowingTree::mark_sides(const Pending& node, const Candidate& winner) {
  const std::uint16_t* codes = codes_of_node_.data();
  const std::uint8_t missing_second = !winner.missing_left;
  if (winner.kind == CutKind::threshold) {
    const std::uint32_t cut = winner.known_or_missing ? kMostForestCodes : winner.bucket;
    for (std::uint32_t i = 0; i < node.n; ++i)
      side_of_row_[i] = static_cast<std::uint16_t>(1 + (codes[i] ? codes[i] > cut : missing_second));
    return;
  }
  side_.assign(codes_.columns[winner.column].n_codes + 1, 1);
  for (const std::uint32_t code : winner.left_levels) side_[code] = 0;
  side_[0] = missing_second;
  for (std::uint32_t i = 0; i < node.n; ++i) side_of_row_[i] = static_cast<std::uint16_t>(1 + side_[codes[i]]);
}

std::uint32_t GrowingTree::divide(const Pending& node) {
  std::uint32_t *first = rows_.data() + node.begin, *second = spare_.data();
  const std::uint32_t* from = first;
  for (std::uint32_t i = 0; i < node.n; ++i) {
    const std::uint32_t row = from[i];
    *first = *second = row;
    const std::uint32_t goes_second = side_of_row_[i] - 1u;
    first += 1 - goes_second, second += goes_second;
  }
  std::copy(spare_.data(), second, first);
  return static_cast<std::uint32_t>(first - from);
}

void GrowingTree::write_inner(const Pending& node, const Candidate& winner, double gain, bool first_is_heavier) {
  SmallTree& tree = grown_;
  const ForestColumn& column = codes_.columns[winner.column];
  const bool by_levels = winner.kind == CutKind::levels;
  bool missing_second = !winner.missing_left;
  const bool has_missing = column.has_missing && std::find(codes_of_node_.begin(), codes_of_node_.begin() + node.n,
                                                           0) != codes_of_node_.begin() + node.n;
  if (!has_missing) missing_second = !first_is_heavier;
  write_test(by_levels ? TestKind::levels : TestKind::threshold, missing_second, winner.column, gain);
  if (!by_levels && rules_.random_cuts && !winner.known_or_missing)
    return late_.push(column, known_range(codes_of_node_.data(), node.n), winner.left_value, tree.threshold);
  tree.threshold.push_back(by_levels ? std::numeric_limits<double>::quiet_NaN() : threshold(node, winner, column));
  if (by_levels) write_levels(node, column);
}

void GrowingTree::write_test(TestKind kind, bool missing_second, std::int32_t column, double gain) {
  grown_.test.push_back(
      static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | (missing_second ? kMissingTakesSecond : 0)));
  grown_.column.push_back(column);
  grown_.gain.push_back(gain);
}

double GrowingTree::threshold(const Pending& node, const Candidate& winner, const ForestColumn& column) const {
  if (winner.known_or_missing) return std::numeric_limits<double>::infinity();
  if (column.kind == Kind::ordinal) return column.highest[winner.bucket - 1];
  const CodesBeside beside = codes_beside(codes_of_node_.data(), node.n, winner.bucket);
  return midpoint(column.highest[beside.left - 1], column.lowest[beside.right - 1]);
}

void GrowingTree::write_levels(const Pending& node, const ForestColumn& column) {
  SmallTree& tree = grown_;
  if (tree.level_start.empty()) tree.level_start.push_back(0);
  levels_.find(codes_of_node_.data(), node.n, column.n_codes);
  for (const std::uint32_t code : levels_.codes()) {
    tree.level.push_back(column.level_of(code));
    tree.level_branch.push_back(side_[code]);
  }
  tree.level_start.push_back(static_cast<std::uint32_t>(tree.level.size()));
}

void GrowingTree::finish() {
  SmallTree& tree = grown_;
  late_.settle(tree.threshold);
  room_.remember(tree);
  bool plain = true, all_pure = true;
  for (std::size_t i = 0; i < tree.n_leaves(); ++i) {
    plain = plain && tree.weight[i] == tree.n_rows[i];
    all_pure = all_pure && tree.impurity[i] == 0;
  }
  if (plain) tree.weight = {};
  if (all_pure) tree.impurity = {};
  keep_leaves(grown_, rules_.recipe.stop.max_leaves, static_cast<std::int32_t>(codes_.n_columns),
              static_cast<std::int32_t>(target_.n_classes));
}

}  // namespace tw
