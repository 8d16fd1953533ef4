#include "ensemble/flat_trees.hpp"

#include <type_traits>  // for is_same_v

#include "base/error.hpp"
#include "ensemble/small_tree.hpp"

namespace tw {

// Bits, unless they take much more room than the levels themselves.
std::uint32_t LevelSets::add(const SmallTree& tree, std::size_t which, bool missing_right) {
  const std::size_t begin = tree.level_start[which], end = tree.level_start[which + 1];
  const std::uint32_t low = tree.level[begin], span = tree.level[end - 1] - low + 1;
  const auto start = static_cast<std::uint32_t>(words_.size());
  const std::size_t n_words = span / 32 + 1;
  const auto number = static_cast<std::uint32_t>(sets_.size());
  if (n_words > end - begin + 32) {
    for (std::size_t k = begin; k < end; ++k) words_.push_back(tree.level[k] << 1 | tree.level_branch[k]);
    words_.push_back(missing_right);
    sets_.push_back({start, 0, static_cast<std::uint32_t>(end - begin), true});
    return number;
  }
  words_.resize(start + n_words, missing_right ? 0xffffffffu : 0);
  for (std::size_t k = begin; k < end; ++k) {
    const std::uint32_t bit = tree.level[k] - low;
    std::uint32_t& word = words_[start + bit / 32];
    word = tree.level_branch[k] ? word | 1u << (bit % 32) : word & ~(1u << (bit % 32));
  }
  sets_.push_back({start, low, span, false});
  return number;
}

std::uint32_t LevelSets::listed_right(const Set& set, std::uint32_t level) const {
  const std::uint32_t *begin = words_.data() + set.start, *end = begin + set.span;
  const std::uint32_t* found = std::lower_bound(begin, end, level << 1);
  return found != end && *found >> 1 == level ? *found & 1 : *end;
}

std::uint32_t LevelSets::goes_right(std::uint32_t number, double x) const {
  const Set& set = sets_[number];
  const std::uint32_t level = level_of(x);
  return set.sparse ? listed_right(set, level) : bit_of(set, words_.data() + set.start, level);
}

void LevelSets::go_right(std::uint32_t number, const std::uint32_t* levels, std::size_t n, std::int8_t* right) const {
  const Set set = sets_[number];
  const std::uint32_t* words = words_.data() + set.start;
  if (set.sparse)
    for (std::size_t i = 0; i < n; ++i) right[i] = static_cast<std::int8_t>(listed_right(set, levels[i]));
  else
    for (std::size_t i = 0; i < n; ++i) right[i] = static_cast<std::int8_t>(bit_of(set, words, levels[i]));
}

namespace {

struct Spot {
  std::uint32_t depth, place;
};

void copy_test(const SmallTree& whole, std::uint8_t test, std::size_t inner, std::size_t by_levels, SmallTree& top) {
  top.test.push_back(test);
  top.column.push_back(whole.column[inner]);
  top.threshold.push_back(whole.threshold[inner]);
  if (kind_of(test) != TestKind::levels) return;
  if (top.level_start.empty()) top.level_start.push_back(0);
  for (std::size_t k = whole.level_start[by_levels]; k < whole.level_start[by_levels + 1]; ++k)
    top.level.push_back(whole.level[k]), top.level_branch.push_back(whole.level_branch[k]);
  top.level_start.push_back(static_cast<std::uint32_t>(top.level.size()));
}

}  // namespace

// A FlatLayout gives the first inner node of the preorder places 2 and 3 for its children, the next 4 and 5 …
TreeTop top_of(const SmallTree& whole, std::uint32_t n_levels) {
  TreeTop top;
  std::vector<Spot> second;  // children to come
  Spot at{0, 0};
  std::uint32_t inner = 0, by_levels = 0;
  for (const std::uint8_t test : whole.test) {
    if (at.depth == n_levels || (is_leaf(test) && at.depth < n_levels)) {
      top.tree.test.push_back(static_cast<std::uint8_t>(TestKind::leaf));
      top.tree.n_rows.push_back(0);
      top.entry.push_back(at.place);
    }
    if (is_leaf(test)) {
      if (second.empty()) break;
      at = second.back();
      second.pop_back();
      continue;
    }
    if (at.depth < n_levels) copy_test(whole, test, inner, by_levels, top.tree);
    by_levels += kind_of(test) == TestKind::levels;
    second.push_back({at.depth + 1, 2 * inner + 3});
    at = {at.depth + 1, 2 * inner + 2};
    ++inner;
  }
  return top;
}

template <class Node>
FlatTrees<Node>::FlatTrees(const Ensemble& ensemble) {
  std::size_t n_places = 0;
  for (const SmallTree& tree : ensemble.trees) n_places += tree.size() + 1;
  if (!fits<LongNode>(n_places, static_cast<std::size_t>(ensemble.n_columns)))
    throw BadInput("the trees of the ensemble are too large to be walked");
  nodes_.resize(n_places);
  n_places = 0;
  for (const SmallTree& tree : ensemble.trees) {
    root_.push_back(n_places);
    n_places += tree.size() + 1;
    add(tree);
  }
}

// Places are counted from the root of the tree in short nodes, in long ones from the first tree on.
template <class Node>
void FlatTrees<Node>::add(const SmallTree& tree) {
  constexpr bool kLong = std::is_same_v<Node, LongNode>;
  FlatLayout<Node> layout(nodes_.data() + (kLong ? 0 : root_.back()),
                          kLong ? static_cast<std::uint32_t>(root_.back()) : 0);
  std::uint32_t inner = 0, leaf = 0, by_levels = 0;
  for (const std::uint8_t test : tree.test) {
    if (is_leaf(test)) {
      layout.leaf(leaf++);
      continue;
    }
    const auto column = static_cast<std::uint32_t>(tree.column[inner]);
    const bool missing_right = missing_takes_second(test);
    if constexpr (kLong) {
      if (kind_of(test) == TestKind::levels)
        layout.by_levels(column, sets_.add(tree, by_levels++, missing_right), missing_right);
      else
        layout.inner(column, tree.threshold[inner], missing_right);
    } else {
      layout.inner(column, tree.threshold[inner], missing_right);
    }
    ++inner;
  }
}

// Places are counted from place number `first` on.
template <class Node>
template <class Number>
void FlatTrees<Node>::walk(std::size_t first, const RowMatrix<Number>& rows, std::size_t n,
                           std::uint32_t* where) const {
  const Node* nodes = nodes_.data() + first;
  const auto count = static_cast<std::uint32_t>(n);
  if constexpr (std::is_same_v<Node, LongNode>)
    if (!sets_.empty())
      return walk_lanes(nodes, rows, count, where, [this](const Node& node, const Number* row) {
        if (__builtin_expect(!node.by_levels(), 1)) return next_place(node, row);
        return node.number() + sets_.goes_right(node.set, row[node.column()]);
      });
  walk_lanes(nodes, rows, count, where, [](const Node& node, const Number* row) { return next_place(node, row); });
}

template <class Node>
template <class Number>
void FlatTrees<Node>::walk_rows(std::size_t tree, const RowMatrix<Number>& rows, std::size_t n,
                                std::uint32_t* where) const {
  if constexpr (std::is_same_v<Node, ShortNode>) return walk(root_[tree], rows, n, where);
  const auto root = static_cast<std::uint32_t>(root_[tree]);
  for (std::size_t i = 0; i < n; ++i) where[i] += root;
  walk(0, rows, n, where);
}

template <class Node>
void FlatTrees<Node>::walk_trees(const double* row, std::uint32_t* leaf_of) const {
  for (std::size_t t = 0; t < root_.size(); ++t) leaf_of[t] = static_cast<std::uint32_t>(root_[t]);
  walk(0, RowMatrix<double>{row, 0}, root_.size(), leaf_of);
}

template class FlatTrees<ShortNode>;
template class FlatTrees<LongNode>;
template void FlatTrees<ShortNode>::walk_rows(std::size_t, const RowMatrix<float>&, std::size_t, std::uint32_t*) const;
template void FlatTrees<LongNode>::walk_rows(std::size_t, const RowMatrix<float>&, std::size_t, std::uint32_t*) const;
template void FlatTrees<LongNode>::walk_rows(std::size_t, const RowMatrix<double>&, std::size_t, std::uint32_t*) const;

}  // namespace tw
