#include "grow/counted/counted_growth.hpp"

#include <algorithm>  // for binary_search, sort, unique
#include <limits>     // for numeric_limits
#include <utility>    // for move

#include "base/error.hpp"
#include "grow/assemble_tree.hpp"
#include "grow/exact/class_block.hpp"
#include "grow/exact/criterion_engine.hpp"
#include "grow/exact/grow_part.hpp"
#include "grow/exact/missing_branch.hpp"
#include "grow/exact/pair_block.hpp"
#include "grow/may_split.hpp"
#include "grow/threshold_value.hpp"

namespace tw {

// The sums of up to three branches, as in the cells of a table.
struct CountedGrowth::Branches {
  std::vector<std::int64_t> sums[3];
};

namespace {

void add(std::vector<std::int64_t>& to, const CellTable& table, std::size_t cell) {
  for (std::size_t i = 0; i < table.width; ++i) to[i] += table.cell(cell)[i];
}

// A threshold lies between the values on its two sides, which have to be known.
void add_ends(const Candidate& cut, const CellTable& table, std::vector<std::uint32_t>& cells) {
  if (cut.kind != CutKind::threshold || cut.known_or_missing) return;
  for (const std::size_t cell : {std::size_t{cut.bucket}, table.next(cut.bucket)})
    if (table.is_stretch(cell)) cells.push_back(static_cast<std::uint32_t>(cell));
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
}

}  // namespace

CountedGrowth::CountedGrowth(std::vector<CountedColumn> columns, Target target, const Recipe& recipe)
    : columns_(std::move(columns)), target_(std::move(target)), recipe_(recipe), arenas_(1) {}

void CountedGrowth::set_root(std::span<const std::int64_t> sums) {
  add_child(sums, 0);
  root_weight_ = double(node(0).a);
  search_ = engine_for(recipe_.criterion, target_, root_weight_).cell_search(target_, recipe_);
  if (!search_) throw BadInput("a criterion that counts do not tell");
}

void CountedGrowth::take_sums(GrowingNode& s, std::span<const std::int64_t> sums) {
  s.rows = static_cast<std::uint32_t>(sums[0]);
  if (target_.is_regression() || target_.n_classes <= 2) {
    s.a = sums[1], s.b = sums[2];
    if (!target_.is_regression()) finish_pair_summary(s, target_, recipe_.criterion);
    return;
  }
  Arena& arena = arenas_[0];
  std::vector<std::int64_t> totals;
  s.a = 0;
  s.count_begin = static_cast<std::uint32_t>(arena.counts.size());
  for (std::uint32_t k = 0; k < target_.n_classes; ++k) {
    if (sums[k + 1] == 0) continue;
    arena.counts.push_back({k, sums[k + 1]});
    totals.push_back(sums[k + 1]);
    s.a += sums[k + 1];
  }
  s.n_counts = static_cast<std::uint32_t>(totals.size());
  s.pure = totals.size() <= 1;
  s.impurity = s.pure ? 0 : counts_impurity(recipe_.criterion, totals);
}

std::uint32_t CountedGrowth::add_child(std::span<const std::int64_t> sums, std::uint32_t depth) {
  GrowingNode s;
  s.depth = depth;
  take_sums(s, sums);
  arenas_[0].nodes.push_back(s);
  before_.push_back(s);
  return static_cast<std::uint32_t>(before_.size() - 1);
}

bool CountedGrowth::needs_equal_rows() const {
  if (!target_.is_regression()) return false;
  return recipe_.criterion == CriterionName::poisson || !target_.keeps_weights();
}

void CountedGrowth::describe(std::uint32_t at, const NumberFacts& facts, std::span<const EqualRows> rows) {
  GrowingNode& s = arenas_[0].nodes[at];
  s.low = facts.low, s.high = facts.high;
  SpreadSum spread(s, target_, recipe_.criterion);
  if (needs_equal_rows())
    for (const EqualRows& r : rows) spread.add_rows(r.level, r.weight, r.rows, target_);
  else
    spread.add_sums(facts.squares, s.b, s.a);
  s.impurity = spread.impurity(s, target_);
  s.spread = spread.in_score_units(target_);
  finish_pair_summary(s, target_, recipe_.criterion);
  if (s.low == s.high) s.value = facts.lowest + 0.0;
  if (at == 0 && recipe_.stop.min_variance_share > 0)
    recipe_.stop.small_spread = recipe_.stop.min_variance_share * (s.spread / double(s.a)) * kShareSlack;
  before_[at] = s;
}

bool CountedGrowth::may_be_split(std::uint32_t at) const {
  return !columns_.empty() && may_split(node(at), recipe_.stop);
}

Best CountedGrowth::find(std::uint32_t at, std::span<const CellTable> tables) {
  Best best = search_->start(node(at), arenas_[0]);
  for (std::size_t c = 0; c < tables.size(); ++c)
    search_->find(tables[c], columns_[c], static_cast<std::int32_t>(c), best);
  return best;
}

std::vector<OpenCells> CountedGrowth::open_cells(std::uint32_t at, std::span<const CellTable> tables) {
  const Best best = find(at, tables);
  std::vector<OpenCells> open;
  for (std::uint32_t c = 0; c < tables.size(); ++c) {
    if (!columns_[c].ordered()) continue;
    auto cells = search_->open_cells(tables[c], static_cast<std::int32_t>(c), best.reach());
    if (best.get().found() && best.get().column == static_cast<std::int32_t>(c)) add_ends(best.get(), tables[c], cells);
    if (!cells.empty()) open.push_back({c, std::move(cells)});
  }
  return open;
}

bool CountedGrowth::split(std::uint32_t at, std::span<const CellTable> tables) {
  const Best best = find(at, tables);
  const Candidate& cut = best.get();
  if (!cut.found()) return false;
  GrowingNode test = node(at);
  const Branches branches = divide(cut, tables[cut.column], test);
  test.n_children = branches.sums[2].empty() ? 2 : 3;
  test.first_child = static_cast<std::uint32_t>(arenas_[0].nodes.size());
  for (std::uint32_t b = 0; b < test.n_children; ++b) add_child(branches.sums[b], test.depth + 1);
  if (test.missing_branch < 0)
    test.missing_branch = branch_of_later_missing(node(test.first_child).a, node(test.first_child + 1).a);
  arenas_[0].nodes[at] = test;
  return true;
}

// Writes the test and adds up what goes to each branch.
CountedGrowth::Branches CountedGrowth::divide(const Candidate& cut, const CellTable& table, GrowingNode& test) {
  Branches branches;
  for (int b = 0; b < 2; ++b) branches.sums[b].assign(table.width, 0);
  const bool by_level = cut.kind == CutKind::levels;
  auto is_left = [&](std::uint32_t cell) {
    if (by_level) return std::binary_search(cut.left_levels.begin(), cut.left_levels.end(), cell);
    return cut.known_or_missing || cell <= cut.bucket;
  };
  Arena& arena = arenas_[0];
  test.kind = cut.kind, test.column = cut.column;
  test.level_begin = static_cast<std::uint32_t>(arena.levels.size());
  for (std::uint32_t cell = 1; cell < table.n_cells; ++cell) {
    if (table.rows(cell) == 0) continue;
    const bool right = !is_left(cell);
    add(branches.sums[right], table, cell);
    if (by_level) arena.levels.push_back({cell, static_cast<std::uint16_t>(right)});
  }
  test.n_levels = static_cast<std::uint32_t>(arena.levels.size()) - test.level_begin;
  if (!by_level) test.threshold = threshold_of(cut, table);
  if (table.rows(0) == 0) return branches;
  auto weight = [&](const std::vector<std::int64_t>& sums) {
    if (target_.is_regression() || target_.n_classes <= 2) return sums[1];
    return total_of(ConstCounts(sums).subspan(1));
  };
  const std::uint8_t to =
      missing_branch(recipe_.missing, cut, [&] { return weight(branches.sums[1]) - weight(branches.sums[0]); });
  test.missing_branch = to;
  if (to == 2) branches.sums[2].assign(table.width, 0);
  add(branches.sums[to], table, 0);
  return branches;
}

double CountedGrowth::threshold_of(const Candidate& cut, const CellTable& table) const {
  if (cut.known_or_missing) return std::numeric_limits<double>::infinity();
  const double left = table.high[cut.bucket];
  return columns_[cut.column].kind == Kind::ordinal ? left : midpoint(left, table.low[table.next(cut.bucket)]);
}

bool CountedGrowth::keeps_split(std::uint32_t at) {
  GrowingNode& test = arenas_[0].nodes[at];
  double inside = 0;
  for (std::uint32_t b = 0; b < test.n_children; ++b) {
    const GrowingNode& s = node(test.first_child + b);
    inside += double(s.a) * s.impurity;
  }
  const double decrease = (double(test.a) * test.impurity - inside) / root_weight_;
  if (!(recipe_.stop.min_impurity_decrease > 0) || decrease >= recipe_.stop.min_impurity_decrease - 1e-12) return true;
  test = before_[at];
  return false;
}

void CountedGrowth::grow_fetched(std::uint32_t at, const Table& table, const Target& target,
                                 std::span<const std::uint32_t> rows, Workers& workers) {
  auto grown = grow_part({table, target, recipe_, workers, root_weight_}, rows, node(at).depth);
  const auto offset = static_cast<std::int32_t>(arenas_.size());
  for (Arena& arena : grown) {
    for (GrowingNode& s : arena.nodes)
      if (s.subtree >= 0) s.subtree += offset;
    arenas_.push_back(std::move(arena));
  }
  arenas_[0].nodes[at].subtree = offset;
}

Tree CountedGrowth::tree(std::vector<std::uint32_t>* order) const {
  if (order) {
    std::vector<std::uint32_t> open{0};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      order->push_back(at);
      for (std::uint32_t b = node(at).n_children; b-- > 0;) open.push_back(node(at).first_child + b);
    }
  }
  return assemble_tree(arenas_, target_, recipe_, static_cast<std::int32_t>(columns_.size()));
}

Tree CountedGrowth::finish() const {
  Tree whole = tree(nullptr);
  if (recipe_.stop.max_leaves < static_cast<std::int64_t>(whole.size()))
    return keep_best_leaves(whole, recipe_.stop.max_leaves);
  return whole;
}

}  // namespace tw
