#include "grow/boost/tree_grower.hpp"

#include <algorithm>  // for clamp, push_heap, pop_heap, sort
#include <cmath>      // for llround
#include <limits>     // for numeric_limits

#include "base/counted_random.hpp"
#include "tree/tree.hpp"

namespace tw {

namespace {

std::int64_t gain_rank(const BoostedNode& node, double grid) {
  return std::llround((node.split.score - node.undivided) * grid);
}

}  // namespace

template <class Word>
void BoostedTreeGrower<Word>::grow(const FixedRules& fixed, std::span<const std::uint32_t> rows,
                                   const GradientSum& whole, std::uint64_t key, double largest_step) {
  fixed_ = fixed;
  nodes_.clear(), frontier_.clear();
  for (std::size_t node = 0; node < histograms_.size(); ++node) give_back(static_cast<std::int32_t>(node));
  histograms_.clear();
  n_leaves_ = 1;
  choice_.start_tree(key);
  make_root(rows, whole, largest_step);
  nodes_[0].key = stream_key({key, 1});
  if (may_divide(nodes_[0])) {
    histograms_[0] = build(0);
    look({{0, -1}, {true, false}});
  }
  const auto later = [this](std::int32_t a, std::int32_t b) { return comes_later(a, b); };
  while (!frontier_.empty() && n_leaves_ < rules_.max_leaf_nodes) {
    workers_.checkpoint();
    std::pop_heap(frontier_.begin(), frontier_.end(), later);
    const std::int32_t node = frontier_.back();
    frontier_.pop_back();
    divide(node);
  }
}

template <class Word>
void BoostedTreeGrower<Word>::make_root(std::span<const std::uint32_t> rows, const GradientSum& whole,
                                        double largest_step) {
  rows_[0].assign(rows.begin(), rows.end());
  rows_[1].resize(rows.size());
  BoostedNode root;
  root.end = static_cast<std::uint32_t>(rows.size());
  root.n_rows = table_.peers->sum(root.size());
  root.sum = whole;
  root.low = -largest_step, root.high = largest_step;
  root.groups = choice_.all_groups();
  nodes_.push_back(std::move(root));
  histograms_.emplace_back();
}

template <class Word>
bool BoostedTreeGrower<Word>::may_divide(const BoostedNode& node) const {
  return node.n_rows >= 2 * std::max<std::int64_t>(1, rules_.min_samples_leaf) && node.depth < rules_.max_depth &&
         static_cast<double>(node.sum.hessian) >= 2 * fixed_.least_hessian;
}

template <class Word>
typename BoostedTreeGrower<Word>::Histogram BoostedTreeGrower<Word>::build(std::int32_t number) {
  const BoostedNode& node = nodes_[number];
  const bool dense = number == 0 && node.size() == table_.n_rows;
  return builder_.build(dense ? nullptr : rows_of(node).data(), words_.data(), node.size());
}

// Searches two branches, or one; those where there is a split join the frontier.
template <class Word>
void BoostedTreeGrower<Word>::look(const Branches& at) {
  // Bounds of monotone columns change the scores, and the words of the scan are packed ones.
  constexpr bool kPacked = sizeof(Word) == sizeof(PackedWord);
  const bool scanned = kPacked && !fixed_.bounded;
  if (at.looked[1] && !scanned) HistogramBuilder<Word>::subtract(histograms_[at.node[1]], histograms_[at.node[0]]);
  for (int i = 0; i < 2; ++i)
    if (at.looked[i]) start_search(at.node[i], i);
  if constexpr (kPacked)
    if (scanned) scan(at);
  for (int i = 0; i < 2; ++i)
    if (at.looked[i]) finish_search(at.node[i], i, scanned);
}

template <class Word>
void BoostedTreeGrower<Word>::start_search(std::int32_t number, int of_pair) {
  BoostedNode& node = nodes_[number];
  const double value =
      std::clamp(fixed_.newton(node.sum), node.low / fixed_.value_unit(), node.high / fixed_.value_unit());
  const double g = static_cast<double>(node.sum.gradient), h = static_cast<double>(node.sum.hessian) + fixed_.l2;
  node.undivided = fixed_.bounded ? -value * (2 * g + h * value) : g * g / h;
  columns_[of_pair] = choice_.of_node(node);
  search_[of_pair].start({&node, histograms_[number].data(), rows_of(node).data(), words_.data()});
}

namespace {

// What passes the scan of two nodes goes to the search of each.
class PairJudge : public CutJudge {
 public:
  explicit PairJudge(SplitSearch<PackedWord>* searches) : searches_(searches) {}
  double bar(int node, const ColumnGroup& group, bool missing_second) const override {
    return searches_[node].bar(group, missing_second);
  }
  void take(const PassingCut& cut) override { searches_[cut.node].take(cut); }

 private:
  SplitSearch<PackedWord>* searches_;
};

// By group: a bit for each of its ordered columns that may be asked.
void find_lanes(const BinnedTable& table, std::span<const std::int32_t> columns, std::vector<std::uint8_t>& lanes) {
  lanes.assign(table.groups.size(), 0);
  const auto add = [&](std::int32_t column) {
    const std::int32_t place = table.place_in_matrix[column];
    if (place >= 0) lanes[place / kTogether] |= static_cast<std::uint8_t>(1 << place % kTogether);
  };
  for (const std::int32_t column : columns) {
    add(column);
    if (table.columns[column].coded_by >= 0) add(table.columns[column].coded_by);
  }
  for (std::size_t group = 0; group < lanes.size(); ++group) lanes[group] &= table.groups[group].ordered;
}

}  // namespace

template <class Word>
void BoostedTreeGrower<Word>::scan(const Branches& at) {
  if constexpr (sizeof(Word) == sizeof(PackedWord)) {
    ScannedNode scanned[2];
    ScannedPair pair{histograms_[at.node[0]].data(), at.looked[1] ? histograms_[at.node[1]].data() : nullptr, {}};
    for (int i = 0; i < 2; ++i) {
      if (!at.looked[i]) continue;
      const BoostedNode& node = nodes_[at.node[i]];
      find_lanes(table_, columns_[i], lanes_[i]);
      scanned[i] = {node.sum, fixed_.l2, fixed_.least_hessian, rules_.min_samples_leaf, lanes_[i].data()};
      pair.node[i] = &scanned[i];
    }
    PairJudge judge(search_);
    scan_groups(table_, fixed_.units.layout, pair, 0, table_.groups.size(), judge);
  }
}

template <class Word>
void BoostedTreeGrower<Word>::finish_search(std::int32_t number, int of_pair, bool scanned) {
  BoostedNode& node = nodes_[number];
  node.split = search_[of_pair].finish(columns_[of_pair], scanned);
  if (!node.split.found()) return give_back(number);
  frontier_.push_back(number);
  std::push_heap(frontier_.begin(), frontier_.end(), [this](auto a, auto b) { return comes_later(a, b); });
}

template <class Word>
void BoostedTreeGrower<Word>::divide(std::int32_t number) {
  BoostedNode& node = nodes_[number];
  fill_sides(node);
  const std::uint32_t begin = node.begin, end = node.end;
  const std::uint32_t middle =
      divider_.divide(table_.columns[node.split.column], node, rows_[node.buffer], rows_[1 - node.buffer]);
  make_child(number, 0, begin, middle);  // invalidates `node`
  make_child(number, 1, middle, end);
  BoostedNode &first = nodes_[nodes_[number].child[0]], &second = nodes_[nodes_[number].child[1]];
  first.n_rows = table_.peers->sum(first.size()), second.n_rows = nodes_[number].n_rows - first.n_rows;
  ++n_leaves_;
  if (fixed_.bounded) bound_children(number);
  if (n_leaves_ < rules_.max_leaf_nodes) count_children(number);
  give_back(number);
}

template <class Word>
void BoostedTreeGrower<Word>::give_back(std::int32_t node) {
  if (!histograms_[node].empty()) builder_.give_back(std::move(histograms_[node]));
  histograms_[node].clear();
}

template <class Word>
void BoostedTreeGrower<Word>::make_child(std::int32_t parent, int branch, std::uint32_t begin, std::uint32_t end) {
  BoostedNode child;
  const BoostedNode& above = nodes_[parent];
  child.begin = begin, child.end = end, child.buffer = 1 - above.buffer;
  child.sum = branch == 0 ? above.split.left : above.sum - above.split.left;
  child.parent = parent, child.depth = above.depth + 1;
  child.key = stream_key({above.key, static_cast<std::uint64_t>(branch) + 2});
  child.low = above.low, child.high = above.high;
  if (!rules_.together.empty()) child.groups = choice_.groups_below(above, given_column(above));
  nodes_[parent].child[branch] = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back(std::move(child));
  histograms_.emplace_back();
}

// A monotone test parts the values of its two branches for good at the middle between them.
template <class Word>
void BoostedTreeGrower<Word>::bound_children(std::int32_t number) {
  const BoostedNode& node = nodes_[number];
  const int way = rules_.monotone[given_column(node)];
  if (way == 0) return;
  BoostedNode &first = nodes_[node.child[0]], &second = nodes_[node.child[1]];
  const double unit = fixed_.value_unit();
  const double a = std::clamp(fixed_.newton(first.sum) * unit, node.low, node.high);
  const double b = std::clamp(fixed_.newton(second.sum) * unit, node.low, node.high);
  const double middle = a / 2 + b / 2;
  (way > 0 ? first.high : first.low) = middle;
  (way > 0 ? second.low : second.high) = middle;
}

template <class Word>
void BoostedTreeGrower<Word>::count_children(std::int32_t number) {
  const std::int32_t first = nodes_[number].child[0], second = nodes_[number].child[1];
  const bool first_is_smaller = nodes_[first].n_rows <= nodes_[second].n_rows;
  const std::int32_t smaller = first_is_smaller ? first : second, larger = first_is_smaller ? second : first;
  const Branches branches{{smaller, larger}, {may_divide(nodes_[smaller]), may_divide(nodes_[larger])}};
  if (!branches.looked[0] && !branches.looked[1]) return;
  histograms_[smaller] = build(smaller);
  if (branches.looked[1]) histograms_[larger] = std::move(histograms_[number]), histograms_[number].clear();
  look(branches);
  if (!branches.looked[0]) give_back(smaller);
}

// Which branch each code takes, where that is not told by one cut of narrow codes. Levels that the node never saw go
// where missing goes.
template <class Word>
void BoostedTreeGrower<Word>::fill_sides(BoostedNode& node) const {
  const BinnedColumn& column = table_.columns[node.split.column];
  if (column.is_narrow() && column.kind != Kind::nominal) return;
  const std::uint8_t missing = node.split.missing_second;
  node.side.assign(column.n_bins + 1, missing);
  if (column.kind == Kind::nominal) {
    for (std::uint32_t i = 0; i < node.split.levels.size(); ++i) node.side[node.split.levels[i]] = i > node.split.cut;
  } else {
    for (std::uint32_t code = 1; code <= column.n_bins; ++code) node.side[code] = code > node.split.last_code;
  }
}

// Whether a is divided after b: deeper (level by level), or with less to gain, or later in preorder.
template <class Word>
bool BoostedTreeGrower<Word>::comes_later(std::int32_t a, std::int32_t b) const {
  const BoostedNode &x = nodes_[a], &y = nodes_[b];
  if (rules_.level_wise && x.depth != y.depth) return x.depth > y.depth;
  const std::int64_t of_x = gain_rank(x, fixed_.grid), of_y = gain_rank(y, fixed_.grid);
  return of_x != of_y ? of_x < of_y : is_before(b, a);
}

template <class Word>
bool BoostedTreeGrower<Word>::is_before(std::int32_t a, std::int32_t b) const {
  if (a == b) return false;
  const std::int32_t deep_a = nodes_[a].depth, deep_b = nodes_[b].depth;
  while (nodes_[a].depth > nodes_[b].depth) a = nodes_[a].parent;
  while (nodes_[b].depth > nodes_[a].depth) b = nodes_[b].parent;
  if (a == b) return deep_a < deep_b;
  while (nodes_[a].parent != nodes_[b].parent) a = nodes_[a].parent, b = nodes_[b].parent;
  return nodes_[nodes_[a].parent].child[0] == a;
}

template class BoostedTreeGrower<PackedWord>;
template class BoostedTreeGrower<WideWord>;

namespace {

// The levels that a node has, ascending, with their branches. Of a wide column only those are written that do not go
// where missing goes: the others come there by themselves, and a model of 10,000 levels would be mostly lists.
void write_levels(const BoostedNode& node, const BinnedColumn& column, SmallTree& tree) {
  if (tree.level_start.empty()) tree.level_start.push_back(0);
  const std::uint8_t missing = node.split.missing_second;
  const auto write = [&](std::uint32_t level, std::uint8_t branch) {
    tree.level.push_back(level);
    tree.level_branch.push_back(branch);
  };
  if (column.stands_for >= 0) {
    const std::size_t before = tree.level.size();
    for (std::uint32_t level = 1; level < column.bin_of_level.size(); ++level)
      if (const std::uint8_t bin = column.bin_of_level[level]; bin && node.branch_of(bin) != missing)
        write(level, !missing);
    if (tree.level.size() == before)  // by the order of all rows every level goes where missing goes
      for (std::uint32_t level = 1; level < column.bin_of_level.size(); ++level)
        if (column.bin_of_level[level]) write(level, missing);
  } else {
    std::vector<std::uint32_t> levels = node.split.levels;
    std::sort(levels.begin(), levels.end());
    for (const std::uint32_t level : levels)
      if (column.is_narrow() || node.side[level] != missing) write(level, node.side[level]);
  }
  tree.level_start.push_back(static_cast<std::uint32_t>(tree.level.size()));
}

void write_test(const BoostedNode& node, const BinnedTable& table, const FixedRules& rules, SmallTree& tree) {
  const BinnedColumn& column = table.columns[node.split.column];
  const bool by_levels = column.kind == Kind::nominal || column.stands_for >= 0;
  const auto kind = static_cast<std::uint8_t>(by_levels ? TestKind::levels : TestKind::threshold);
  tree.test.push_back(kind | (node.split.missing_second ? kMissingTakesSecond : 0));
  tree.column.push_back(column.stands_for >= 0 ? column.stands_for : node.split.column);
  tree.threshold.push_back(by_levels ? std::numeric_limits<double>::quiet_NaN() : column.cut[node.split.last_code]);
  // per unit of weight, so that weight · gain is the gain
  tree.gain.push_back((node.split.score - node.undivided) / 2 * rules.score_unit() /
                      (static_cast<double>(node.sum.hessian) * rules.units.hessian));
  if (by_levels) write_levels(node, column, tree);
}

}  // namespace

SmallTree write_small_tree(const std::vector<BoostedNode>& nodes, const BinnedTable& table, const FixedRules& rules) {
  SmallTree tree;
  std::vector<std::int32_t> open{0};
  while (!open.empty()) {
    const BoostedNode& node = nodes[open.back()];
    open.pop_back();
    if (!node.is_leaf()) {
      write_test(node, table, rules, tree);
      open.push_back(node.child[1]);
      open.push_back(node.child[0]);
      continue;
    }
    tree.test.push_back(static_cast<std::uint8_t>(TestKind::leaf));
    tree.n_rows.push_back(node.n_rows);
    tree.weight.push_back(static_cast<double>(node.sum.hessian) * rules.units.hessian);
    tree.value.push_back(node.value);
  }
  return tree;
}

}  // namespace tw
