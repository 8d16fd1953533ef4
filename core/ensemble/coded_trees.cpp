#include "ensemble/coded_trees.hpp"

#include <algorithm>  // for max, sort, unique
#include <mutex>      // for mutex
#include <utility>    // for pair, move

#include "base/error.hpp"
#include "ensemble/small_shape.hpp"

namespace tw {
namespace {

constexpr std::uint32_t kUnused = 0xffffffffu;
constexpr std::size_t kMostNodes = 0x70000000u;

// What the trees first … last − 1 ask of each column.
struct Questions {
  std::vector<std::vector<double>> cuts;
  std::vector<std::uint32_t> largest_level;
  std::vector<std::uint8_t> is_asked;
  std::size_t n_slots = 0;  // nodes, and one more for each test by levels

  Questions(const Ensemble& ensemble, std::size_t first, std::size_t last)
      : cuts(ensemble.n_columns), largest_level(ensemble.n_columns, 0), is_asked(ensemble.n_columns, 0) {
    for (std::size_t t = first; t < last; ++t) add(ensemble.trees[t]);
    for (std::vector<double>& of_column : cuts) {
      std::sort(of_column.begin(), of_column.end());
      of_column.erase(std::unique(of_column.begin(), of_column.end()), of_column.end());
    }
  }

  void add(const SmallTree& tree) {
    n_slots += tree.size();
    std::size_t inner = 0, by_levels = 0;
    for (const std::uint8_t test : tree.test) {
      if (is_leaf(test)) continue;
      const std::int32_t column = tree.column[inner];
      is_asked[column] = 1;
      if (kind_of(test) == TestKind::levels) {
        const std::uint32_t last_level = tree.level[tree.level_start[++by_levels] - 1];
        largest_level[column] = std::max(largest_level[column], last_level);
        ++n_slots;
      } else {
        cuts[column].push_back(tree.threshold[inner]);
      }
      ++inner;
    }
  }

  // Codes of cuts run from 0 to their number + 1, those of levels to the largest level + 2.
  template <class Node>
  bool fit() const {
    std::size_t asked = 0;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      asked += is_asked[c];
      if (cuts[c].size() + 1 > Node::kLargestCode || largest_level[c] + 2ull > Node::kLargestCode) return false;
    }
    return asked <= Node::kMostColumns && n_slots < kMostNodes;
  }
};

// Lays the nodes of one tree after the other into a group.
template <class Node>
class Layout {
 public:
  Layout(const Ensemble& ensemble, Questions questions, std::size_t first, std::size_t last)
      : coder_of_(ensemble.n_columns, kUnused) {
    group_.first_tree = first;
    for (std::int32_t c = 0; c < ensemble.n_columns; ++c) {
      if (!questions.is_asked[c]) continue;
      coder_of_[c] = static_cast<std::uint32_t>(group_.coders.size());
      group_.coders.emplace_back(c, questions.largest_level[c], std::move(questions.cuts[c]));
    }
    group_.nodes.reserve(questions.n_slots);
    for (std::size_t t = first; t < last; ++t) add(ensemble.trees[t]);
  }

  CodedGroup<Node> take() { return std::move(group_); }

 private:
  // The places of a preorder node's own numbers among the inner nodes, the tests by levels, and the leaves.
  struct Places {
    std::vector<std::uint32_t> own, by_levels;
    explicit Places(const SmallTree& tree) : own(tree.size()), by_levels(tree.level_start.empty() ? 0 : tree.size()) {
      std::uint32_t inner = 0, leaf = 0, levels = 0;
      for (std::size_t i = 0; i < tree.size(); ++i) {
        own[i] = is_leaf(tree.test[i]) ? leaf++ : inner++;
        if (!by_levels.empty()) by_levels[i] = levels;
        levels += kind_of(tree.test[i]) == TestKind::levels;
      }
    }
  };

  void add(const SmallTree& tree) {
    const auto second = second_children(tree.test);
    const Places places(tree);
    group_.root.push_back(static_cast<std::uint32_t>(group_.nodes.size()));
    group_.nodes.push_back({});
    std::vector<std::pair<std::uint32_t, std::uint32_t>> level{{0, group_.root.back()}}, below;  // preorder, laid out
    std::uint32_t depth = 0;
    for (;; ++depth, level.swap(below)) {
      below.clear();
      for (const auto& [node, place] : level) {
        if (is_leaf(tree.test[node])) {
          group_.nodes[place] = Node::make(kLeafLink | places.own[node], 0, 0, 0);
          continue;
        }
        const auto link = static_cast<std::uint32_t>(group_.nodes.size());
        group_.nodes.resize(link + 2);
        group_.nodes[place] = inner(tree, node, places, link);
        below.emplace_back(node + 1, link), below.emplace_back(second[node], link + 1);
      }
      if (below.empty()) break;
    }
    group_.depth.push_back(depth);
  }

  Node inner(const SmallTree& tree, std::uint32_t node, const Places& places, std::uint32_t link) {
    const std::uint32_t at = places.own[node], column = coder_of_[tree.column[at]];
    const std::uint32_t missing = missing_takes_second(tree.test[node]) ? kMissingRight : 0;
    if (kind_of(tree.test[node]) == TestKind::levels) {
      group_.nodes.push_back(level_set(tree, places.by_levels[node], missing != 0));
      return Node::make(link, column, 0, kByLevels | missing);
    }
    const std::uint32_t largest = group_.coders[column].largest_first(tree.threshold[at]);
    return Node::make(link, column, largest - missing, missing);
  }

  // A bit for every code from the lowest to the highest, unless that takes more room than the levels themselves.
  Node level_set(const SmallTree& tree, std::size_t which, bool missing_right) {
    const std::size_t begin = tree.level_start[which], end = tree.level_start[which + 1];
    const std::uint32_t first = tree.level[begin], span = tree.level[end - 1] - first + 1;
    const auto start = static_cast<std::uint32_t>(group_.words.size());
    const std::size_t n_words = (span + 31ull) / 32;
    if (n_words > end - begin + 4) {
      for (std::size_t k = begin; k < end; ++k) group_.words.push_back((1 + tree.level[k]) << 1 | tree.level_branch[k]);
      return Node::make_set(start | kSparse, 0, static_cast<std::uint32_t>(end - begin));
    }
    group_.words.resize(start + n_words, missing_right ? 0xffffffffu : 0);
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t bit = tree.level[k] - first;
      std::uint32_t& word = group_.words[start + bit / 32];
      word = tree.level_branch[k] ? word | 1u << (bit % 32) : word & ~(1u << (bit % 32));
    }
    return Node::make_set(start, 1 + first, span);
  }

  CodedGroup<Node> group_;
  std::vector<std::uint32_t> coder_of_;
};

void add_perfect_trees(CodedGroup<NarrowNode>& group) {
  if (group.has_sets()) return;
  for (std::size_t t = 0; t < group.n_trees(); ++t)
    group.perfect.push_back(PerfectTree::make(group.nodes, group.root[t], group.depth[t]));
}

std::mutex coding;  // one ensemble is laid out at a time; who comes second finds it done

}  // namespace

// Trees share a group while the codes fit 16 bits; when they do not, the trees are halved until they do, or until a
// single tree is left, whose codes are then wide.
CodedTrees::CodedTrees(const Ensemble& ensemble) {
  std::vector<std::pair<std::size_t, std::size_t>> open;
  if (!ensemble.trees.empty()) open.emplace_back(0, ensemble.trees.size());
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    Questions questions(ensemble, first, last);
    if (questions.fit<NarrowNode>()) {
      auto group = Layout<NarrowNode>(ensemble, std::move(questions), first, last).take();
      add_perfect_trees(group);
      groups_.emplace_back(std::move(group));
    } else if (last - first == 1) {
      if (!questions.fit<WideNode>()) throw BadInput("a tree of the ensemble is too large to be walked");
      groups_.emplace_back(Layout<WideNode>(ensemble, std::move(questions), first, last).take());
    } else {
      const std::size_t middle = first + (last - first) / 2;
      open.emplace_back(middle, last), open.emplace_back(first, middle);
    }
  }
}

std::size_t CodedTrees::bytes() const {
  std::size_t sum = 0;
  for (const Group& any : groups_)
    std::visit(
        [&](const auto& group) {
          sum += group.nodes.size() * sizeof(group.nodes[0]) + group.words.size() * 4 + group.root.size() * 8 +
                 group.perfect.size() * sizeof(PerfectTree);
          for (const ColumnCoder& coder : group.coders) sum += coder.bytes();
        },
        any);
  return sum;
}

const CodedTrees& Ensemble::coded() const {
  const std::lock_guard<std::mutex> lock(coding);
  if (!coded_) coded_ = std::make_shared<const CodedTrees>(*this);
  return *coded_;
}

}  // namespace tw
