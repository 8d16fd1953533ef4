#include "grow/tables/grow_from_tables.hpp"

#include <algorithm>  // for any_of, binary_search, sort
#include <memory>     // for shared_ptr, unique_ptr
#include <numeric>
#include <optional>  // for optional

#include "base/radix_sort.hpp"
#include "grow/assemble_tree.hpp"
#include "grow/tables/divide_node.hpp"
#include "grow/tables/write_tree.hpp"

namespace tw {
namespace {

constexpr std::size_t kSmallTable = 2'000'000;  // bytes of codes; they stay in a processor's second-level cache
constexpr std::size_t kSharedNode = 200'000;    // cells; threads share the columns of a larger node

using Columns = std::shared_ptr<const std::vector<std::int32_t>>;

// A node whose split is to be found.
struct OpenNode {
  std::size_t node;
  ChildRows rows;
  Columns columns;
  std::size_t begin = 0;  // of its slice in the sorted lists

  NodeRows view() const { return {rows.rows, rows.pieces}; }
};

struct Scratch {
  Scratch(const RankedTable& table, const Weighing& weighing) : counter(table, weighing) {}
  Counter counter;
  ColumnCounts counts;
  std::vector<Found> found;
  SortedLists::Marks marks;
};

class Growth {
 public:
  Growth(const RankedTable& table, const Weighing& weighing, const Recipe& recipe, Splitter& splitter, Workers& workers)
      : table_(table), weighing_(weighing), recipe_(recipe), splitter_(splitter), workers_(workers) {
    for (int w = 0; w < workers.size(); ++w) scratch_.push_back(std::make_unique<Scratch>(table, weighing));
  }

  std::vector<GrownNode> grow(std::span<const std::uint32_t> rows) {
    std::vector<std::int32_t> all(table_.columns.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<OpenNode> level(1);
    level[0] = {0, {in_good_order(rows), {}}, std::make_shared<const std::vector<std::int32_t>>(std::move(all)), 0};
    nodes_.emplace_back();
    nodes_[0].sums = scratch_[0]->counter.sum(level[0].view());
    root_ = nodes_[0].sums;
    splitter_.prepare(view(level[0]));
    if (is_leaf(view(level[0]))) return std::move(nodes_);
    if (const auto n_counted = splitter_.lists_above()) make_lists(rows, *n_counted);
    while (!level.empty()) {
      workers_.checkpoint();
      level = grow_level(std::move(level));
    }
    return std::move(nodes_);
  }

 private:
  // No result depends on the order of rows, and division keeps it. Ordered by the column with most values, that column
  // never needs to be sorted again. Larger tables keep the order of their rows: it is kinder to the caches.
  std::vector<std::uint32_t> in_good_order(std::span<const std::uint32_t> rows) const {
    const RankedColumn* widest = nullptr;
    std::size_t bytes = 0;
    for (const RankedColumn& column : table_.columns) {
      bytes += rows.size() * static_cast<std::size_t>(column.width);
      if (column.ordered() && column.n_codes > 255 && (!widest || column.n_codes > widest->n_codes)) widest = &column;
    }
    if (!widest || bytes > kSmallTable) return {rows.begin(), rows.end()};
    std::vector<std::uint64_t> words(rows.size()), other(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) words[i] = std::uint64_t(widest->code(rows[i])) << 32 | rows[i];
    const std::uint64_t* sorted = radix_sort(words.data(), other.data(), words.size(), bits_for(widest->n_codes));
    for (const auto& scratch : scratch_)
      scratch->counter.rows_ascend_by(static_cast<std::int32_t>(widest - table_.columns.data()));
    return {sorted, sorted + words.size()};
  }

  void make_lists(std::span<const std::uint32_t> rows, std::uint32_t n_counted) {
    lists_.emplace(table_, rows, n_counted, workers_);
    for (auto& scratch : scratch_) scratch->marks = lists_->make_marks();
  }

  // What became of an open node: the children's rows and sums, and the columns that they may still ask.
  struct Grown {
    Decision decision;
    Division parts;
    Columns columns;
  };

  NodeView view(const OpenNode& open) const {
    const GrownNode& node = nodes_[open.node];
    const ListSlice lists{lists_ ? &*lists_ : nullptr, open.begin, open.rows.rows.size()};
    return {table_,        weighing_, recipe_,  open.view(), node.sums,  node.depth,
            *open.columns, root_,     workers_, lists,       node.bounds};
  }

  std::vector<OpenNode> grow_level(std::vector<OpenNode> level) {
    std::vector<Grown> grown(level.size());
    std::vector<std::size_t> small;
    for (std::size_t i = 0; i < level.size(); ++i) {
      const bool shared = workers_.size() > 1 && level[i].rows.rows.size() * level[i].columns->size() > kSharedNode;
      if (shared)
        grown[i] = grow_node(level[i], *scratch_[0], true);
      else
        small.push_back(i);
    }
    workers_.run(small.size(), [&](std::size_t s, int worker) {
      grown[small[s]] = grow_node(level[small[s]], *scratch_[worker], false);
    });
    std::vector<OpenNode> next;
    for (std::size_t i = 0; i < level.size(); ++i) attach(level[i], std::move(grown[i]), next);
    return next;
  }

  Grown grow_node(const OpenNode& open, Scratch& scratch, bool shared) {
    Grown grown;
    NodeView node = view(open);
    std::vector<std::int32_t> constant;
    DrawnColumns columns(recipe_.options, *open.columns, open.node);
    do {
      node.columns = columns.next();
      look_at_columns(node, scratch, shared);
      for (std::size_t i = 0; i < node.columns.size(); ++i)
        if (scratch.found[i].constant) constant.push_back(node.columns[i]);
      grown.decision = splitter_.choose(node, scratch.found, scratch.counter);
    } while (!grown.decision.split && columns.more());
    if (!grown.decision.split) return grown;
    const Split& split = *grown.decision.split;
    grown.columns = columns_below(open, constant, split);
    grown.parts = divide_node(node, split, scratch.counter, [&](const Sums& sums) {
      const NodeView child{table_, weighing_, recipe_, {}, sums, node.depth + 1, *grown.columns, root_, workers_, {}};
      return is_leaf(child);
    });
    if (leaves_too_little(grown.parts)) return {};
    if (lists_) divide_lists(open, grown, scratch, shared);
    return grown;
  }

  // For splitters that do not look at min_weight_leaf themselves: the node stays a leaf.
  bool leaves_too_little(const Division& parts) const {
    const double least = recipe_.stop.min_weight_leaf * (1 - 1e-12);
    return least > 0 && std::any_of(parts.sums.begin(), parts.sums.end(),
                                    [&](const Sums& sums) { return double(sums.weight) * weighing_.unit < least; });
  }

  void look_at_columns(const NodeView& node, Scratch& scratch, bool shared) {
    std::vector<Found>& found = scratch.found;
    found.assign(node.columns.size(), {});
    auto look = [&](std::size_t i, Scratch& own) {
      const std::int32_t column = node.columns[i];
      const bool listed = node.lists.has(column);
      if (listed && splitter_.look_at_list(node, column, found[i])) return;
      listed ? own.counter.count_list(node.lists[column], own.counts)
             : own.counter.count(node.rows, column, own.counts);
      found[i].constant = own.counts.size() < 2;
      splitter_.look(node, column, own.counts, found[i]);
    };
    if (shared)
      workers_.run(node.columns.size(), [&](std::size_t i, int worker) { look(i, *scratch_[worker]); });
    else
      for (std::size_t i = 0; i < node.columns.size(); ++i) look(i, scratch);
  }

  // The rows of one child are marked, the smaller of two; a leaf's rows are nobody's affair.
  void divide_lists(const OpenNode& open, const Grown& grown, Scratch& scratch, bool shared) {
    const std::vector<ChildRows>& children = grown.parts.children;
    const bool leaf[2] = {grown.parts.is_leaf[0], grown.parts.is_leaf[1]};
    if (leaf[0] && leaf[1]) return;
    const bool second = leaf[0] || (!leaf[1] && children[1].rows.size() < children[0].rows.size());
    const std::vector<std::uint32_t>& marked = children[second].rows;
    SortedLists::mark(scratch.marks, marked);
    auto divide = [&](std::size_t i, Scratch& own) {
      const std::int32_t column = (*grown.columns)[i];
      if (lists_->has(column))
        lists_->divide(column, open.begin, open.rows.rows.size(), scratch.marks, !second, own.marks.spare);
    };
    if (shared)
      workers_.run(grown.columns->size(), [&](std::size_t i, int worker) { divide(i, *scratch_[worker]); });
    else
      for (std::size_t i = 0; i < grown.columns->size(); ++i) divide(i, scratch);
    SortedLists::take_away(scratch.marks, marked);
  }

  bool is_leaf(const NodeView& node) const {
    return node.depth >= recipe_.stop.max_depth || node.sums.rows < recipe_.stop.min_samples_split ||
           node.sums.rows == 0 || node.columns.empty() || varies_too_little(node.sums) || splitter_.is_leaf(node);
  }

  // The rule of min_variance_share, as in grow_binary.cpp.
  bool varies_too_little(const Sums& sums) const {
    const double share = recipe_.stop.min_variance_share * kShareSlack;
    return share > 0 && sums.classes.empty() &&
           node_impurity(recipe_.criterion, sums, weighing_) <=
               share * node_impurity(recipe_.criterion, root_, weighing_);
  }

  static Columns columns_below(const OpenNode& open, std::vector<std::int32_t>& constant, const Split& split) {
    if (split.forget_column) constant.push_back(split.column);
    if (constant.empty()) return open.columns;
    std::vector<std::int32_t> below;
    std::sort(constant.begin(), constant.end());
    for (const std::int32_t column : *open.columns)
      if (!std::binary_search(constant.begin(), constant.end(), column)) below.push_back(column);
    return std::make_shared<const std::vector<std::int32_t>>(std::move(below));
  }

  void attach(const OpenNode& open, Grown grown, std::vector<OpenNode>& next) {
    const std::size_t node = open.node;
    std::size_t begin = open.begin;
    nodes_[node].extras = std::move(grown.decision.extras);
    if (!grown.decision.split) return;
    nodes_[node].split = std::make_unique<Split>(*std::move(grown.decision.split));
    nodes_[node].split->route = {};
    nodes_[node].first_child = nodes_.size();
    const std::uint32_t depth = nodes_[node].depth + 1;
    std::vector<Bounds> bounds;
    for (std::size_t b = 0; b < grown.parts.sums.size(); ++b)
      bounds.push_back(splitter_.bounds_of(view(open), *nodes_[node].split, grown.parts.sums, b));
    for (std::size_t b = 0; b < grown.parts.sums.size(); ++b) {
      if (!grown.parts.is_leaf[b])
        next.push_back({nodes_.size(), std::move(grown.parts.children[b]), grown.columns, begin});
      begin += grown.parts.sums[b].rows;
      nodes_.emplace_back();
      nodes_.back().sums = std::move(grown.parts.sums[b]), nodes_.back().depth = depth;
      nodes_.back().bounds = bounds[b];
    }
  }

  const RankedTable& table_;
  const Weighing& weighing_;
  const Recipe& recipe_;
  Splitter& splitter_;
  Workers& workers_;
  std::vector<std::unique_ptr<Scratch>> scratch_;
  std::vector<GrownNode> nodes_;
  Sums root_;
  std::optional<SortedLists> lists_;
};

}  // namespace

Tree grow_from_tables(const Table& table, const Target& target, std::span<const std::uint32_t> rows,
                      const Recipe& recipe, Splitter& splitter, Workers& workers) {
  RankedTable ranked = rank_columns(table, workers);
  splitter.recode(ranked, rows, target);
  std::int64_t root_weight = 0;
  bool has_missing = false;
  for (const std::uint32_t row : rows) root_weight += target.weight_of(row);
  for (const RankedColumn& column : ranked.columns) has_missing |= column.has_missing;
  const Weighing weighing(target, root_weight, splitter.may_spread() && has_missing);
  Growth growth(ranked, weighing, recipe, splitter, workers);
  const std::vector<GrownNode> nodes = growth.grow(rows);
  Tree tree = write_tree(nodes, weighing, recipe, static_cast<std::int32_t>(table.columns.size()), splitter.extras());
  return recipe.stop.max_leaves < static_cast<std::int64_t>(tree.size())
             ? keep_best_leaves(tree, recipe.stop.max_leaves)
             : tree;
}

}  // namespace tw
