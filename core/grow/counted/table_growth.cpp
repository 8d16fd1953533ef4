#include "grow/counted/table_growth.hpp"

#include <algorithm>  // for binary_search, lower_bound, sort
#include <numeric>    // for iota
#include <utility>    // for move

#include "base/error.hpp"
#include "grow/assemble_tree.hpp"
#include "grow/tables/make_splitter.hpp"

namespace tw {
namespace {

// The branch of rows with a code; below 0: they stay at the node.
std::int32_t branch_of(const Split& split, std::uint32_t code) {
  if (code == 0) return split.missing;
  if (split.kind == TestKind::threshold) return code > split.cut;
  const auto at = std::lower_bound(split.levels.begin(), split.levels.end(), code,
                                   [](const LevelBranch& level, std::uint32_t c) { return level.code < c; });
  return at != split.levels.end() && at->code == code ? at->branch : split.missing;
}

void add(Sums& to, std::uint32_t rows, std::int64_t weight, std::span<const std::int64_t> classes) {
  to.rows += rows, to.weight += weight;
  for (std::size_t k = 0; k < classes.size(); ++k) to.classes[k] += classes[k];
}

}  // namespace

TableGrowth::TableGrowth(std::vector<RankedColumn> columns, Target target, const Recipe& recipe)
    : target_(std::move(target)), recipe_(recipe), splitter_(make_splitter(recipe)) {
  if (target_.is_regression()) throw BadInput("numbers are not counted in such tables");
  if (recipe_.stop.min_weight_leaf > 0) throw BadInput("min_weight_leaf is no rule of such trees");
  table_.columns = std::move(columns);
}

Sums TableGrowth::sums_of(std::span<const std::int64_t> cell) const {
  const std::uint32_t n_classes = target_.n_classes;
  Sums sums;
  sums.rows = static_cast<std::uint32_t>(cell[0]);
  sums.classes.assign(n_classes, 0);
  if (n_classes <= 2) {  // all classes, and the second one
    sums.classes[0] = cell[1] - cell[2];
    if (n_classes == 2) sums.classes[1] = cell[2];
  } else {
    for (std::uint32_t k = 0; k < n_classes; ++k) sums.classes[k] = cell[k + 1];
  }
  for (const std::int64_t weight : sums.classes) sums.weight += weight;
  return sums;
}

void TableGrowth::set_root(std::span<const std::int64_t> sums, Workers& workers) {
  root_ = sums_of(sums);
  table_.n_rows = root_.rows;
  weighing_ = Weighing(target_, root_.weight, false);
  std::vector<std::int32_t> all(table_.columns.size());
  std::iota(all.begin(), all.end(), 0);
  splitter_->prepare(view(root_, 0, all, workers));
  add_node(root_, 0, std::make_shared<const std::vector<std::int32_t>>(std::move(all)), workers);
}

std::vector<std::uint32_t> TableGrowth::open_nodes() { return std::exchange(open_, {}); }

NodeView TableGrowth::view(const Sums& sums, std::uint32_t depth, const std::vector<std::int32_t>& columns,
                           Workers& workers) const {
  return {table_, weighing_, recipe_, {}, sums, depth, columns, root_, workers, {}};
}

bool TableGrowth::is_leaf(const NodeView& node) const {
  return node.depth >= recipe_.stop.max_depth || node.sums.rows < recipe_.stop.min_samples_split ||
         node.sums.rows == 0 || node.columns.empty() || splitter_->is_leaf(node);
}

void TableGrowth::add_node(Sums sums, std::uint32_t depth, const Columns& columns, Workers& workers) {
  if (!is_leaf(view(sums, depth, *columns, workers))) open_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  nodes_.emplace_back();
  nodes_.back().sums = std::move(sums), nodes_.back().depth = depth;
  columns_.push_back(columns);
}

ColumnCounts TableGrowth::counts_of(const CellTable& table) const {
  ColumnCounts counts;
  counts.n_classes = target_.n_classes;
  counts.known.classes.assign(target_.n_classes, 0);
  counts.missing = sums_of({table.cell(0), table.width});
  for (std::uint32_t code = 1; code < table.n_cells; ++code) {
    if (table.rows(code) == 0) continue;
    const Sums sums = sums_of({table.cell(code), table.width});
    counts.codes.push_back(code);
    counts.rows.push_back(sums.rows), counts.weight.push_back(sums.weight);
    counts.classes.insert(counts.classes.end(), sums.classes.begin(), sums.classes.end());
    add(counts.known, sums.rows, sums.weight, {sums.classes.begin(), sums.classes.end()});
  }
  return counts;
}

Decision TableGrowth::decide(const NodeView& node, const std::vector<ColumnCounts>& counts,
                             std::vector<std::int32_t>& dropped) {
  std::vector<Found> found(node.columns.size());
  for (std::size_t i = 0; i < node.columns.size(); ++i) {
    const ColumnCounts& own = counts[node.columns[i]];
    found[i].constant = own.size() < 2;
    splitter_->look(node, node.columns[i], own, found[i]);
    if (found[i].constant) dropped.push_back(node.columns[i]);
  }
  Counter counter(table_, weighing_);
  counter.answer_with(&counts);
  return splitter_->choose(node, found, counter);
}

std::vector<Sums> TableGrowth::sums_of_branches(const Split& split, const ColumnCounts& counts) const {
  if (!split.route.empty() || (split.missing == kMissingSpreads && counts.missing.rows > 0))
    throw BadInput("a split whose rows have to be looked at");
  std::vector<Sums> sums(split.n_branches);
  for (Sums& own : sums) own.classes.assign(target_.n_classes, 0);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (const std::int32_t b = branch_of(split, counts.codes[i]); b >= 0)
      add(sums[b], counts.rows[i], counts.weight[i], counts.classes_of(i));
  if (split.missing >= 0)
    add(sums[split.missing], counts.missing.rows, counts.missing.weight,
        {counts.missing.classes.begin(), counts.missing.classes.end()});
  return sums;
}

void TableGrowth::split(std::uint32_t at, std::span<const CellTable> tables, Workers& workers) {
  const Columns columns = columns_[at];
  std::vector<ColumnCounts> counts(tables.size());
  for (const std::int32_t column : *columns) counts[column] = counts_of(tables[column]);
  std::vector<std::int32_t> dropped, below;
  const std::uint32_t depth = nodes_[at].depth;
  Decision decision = decide(view(nodes_[at].sums, depth, *columns, workers), counts, dropped);
  nodes_[at].extras = std::move(decision.extras);
  if (!decision.split) return;
  if (decision.split->forget_column) dropped.push_back(decision.split->column);
  std::sort(dropped.begin(), dropped.end());
  for (const std::int32_t column : *columns)
    if (!std::binary_search(dropped.begin(), dropped.end(), column)) below.push_back(column);
  std::vector<Sums> branches = sums_of_branches(*decision.split, counts[decision.split->column]);
  nodes_[at].split = std::make_unique<Split>(*std::move(decision.split));
  nodes_[at].first_child = nodes_.size();
  const auto left = std::make_shared<const std::vector<std::int32_t>>(std::move(below));
  for (Sums& sums : branches) add_node(std::move(sums), depth + 1, left, workers);
}

Tree TableGrowth::tree(std::vector<std::uint32_t>* order) const {
  std::vector<std::uint32_t> open{0};
  while (order && !open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    order->push_back(at);
    const std::uint32_t n = nodes_[at].split ? nodes_[at].split->n_branches : 0;
    for (std::uint32_t b = n; b-- > 0;) open.push_back(static_cast<std::uint32_t>(nodes_[at].first_child + b));
  }
  return write_tree(nodes_, weighing_, recipe_, static_cast<std::int32_t>(table_.columns.size()), splitter_->extras());
}

Tree TableGrowth::finish() const {
  Tree whole = tree(nullptr);
  return recipe_.stop.max_leaves < static_cast<std::int64_t>(whole.size())
             ? keep_best_leaves(whole, recipe_.stop.max_leaves)
             : whole;
}

}  // namespace tw
