#include "ensemble/joined_trees.hpp"

#include <algorithm>  // for any_of, max
#include <string>     // for string

#include "base/error.hpp"
#include "ensemble/small_tree.hpp"

namespace tw {
namespace {

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void append_lengths(std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& start) {
  for (std::size_t i = 1; i < start.size(); ++i) all.push_back(start[i] - start[i - 1]);
}

// Hands out the entries of the joined arrays piece by piece.
template <class T>
class Pieces {
 public:
  Pieces(const std::vector<T>& all, const char* name) : all_(all), name_(name) {}

  std::vector<T> next(std::size_t n) {
    if (all_.size() - at_ < n) throw BadInput(std::string("array '") + name_ + "' is too short");
    at_ += n;
    return {all_.begin() + static_cast<std::ptrdiff_t>(at_ - n), all_.begin() + static_cast<std::ptrdiff_t>(at_)};
  }
  void check_end() const {
    if (at_ != all_.size()) throw BadInput(std::string("array '") + name_ + "' is too long");
  }

 private:
  const std::vector<T>& all_;
  const char* name_;
  std::size_t at_ = 0;
};

std::vector<std::uint32_t> starts(const std::vector<std::uint32_t>& lengths) {
  std::vector<std::uint32_t> start(1, 0);
  std::uint64_t sum = 0;
  for (const std::uint32_t length : lengths) {
    sum += length;
    if (sum > 0x7fffffffu) throw BadInput("the lists of a tree are too long");
    start.push_back(static_cast<std::uint32_t>(sum));
  }
  return start;
}

}  // namespace

JoinedTrees join(const Ensemble& ensemble) {
  JoinedTrees all;
  const auto& trees = ensemble.trees;
  const bool weights = std::any_of(trees.begin(), trees.end(), [](const SmallTree& t) { return !t.weight.empty(); });
  const bool impure = std::any_of(trees.begin(), trees.end(), [](const SmallTree& t) { return !t.impurity.empty(); });
  for (const SmallTree& tree : trees) {
    all.tree_nodes.push_back(static_cast<std::uint32_t>(tree.size()));
    append(all.test, tree.test);
    append(all.column, tree.column), append(all.threshold, tree.threshold), append(all.gain, tree.gain);
    append_lengths(all.n_levels, tree.level_start);
    append(all.level, tree.level), append(all.level_branch, tree.level_branch);
    if (weights && tree.weight.empty()) all.weight.insert(all.weight.end(), tree.n_rows.begin(), tree.n_rows.end());
    if (impure && tree.impurity.empty()) all.impurity.resize(all.impurity.size() + tree.n_leaves(), 0);
    append(all.n_rows, tree.n_rows), append(all.weight, tree.weight), append(all.impurity, tree.impurity);
    append(all.value, tree.value);
    append_lengths(all.n_counts, tree.count_start);
    append(all.count_class, tree.count_class), append(all.count_weight, tree.count_weight);
  }
  return all;
}

Ensemble part(const JoinedTrees& all, std::int32_t n_columns, std::int32_t n_classes) {
  Ensemble ensemble(n_columns, n_classes);
  Pieces test(all.test, "test"), level_branch(all.level_branch, "level_branch");
  Pieces column(all.column, "column");
  Pieces threshold(all.threshold, "threshold"), gain(all.gain, "gain"), weight(all.weight, "weight");
  Pieces impurity(all.impurity, "impurity"), value(all.value, "value"), count_weight(all.count_weight, "count_weight");
  Pieces n_levels(all.n_levels, "n_levels"), level(all.level, "level"), n_rows(all.n_rows, "n_rows");
  Pieces n_counts(all.n_counts, "n_counts");
  Pieces count_class(all.count_class, "count_class");
  ensemble.trees.reserve(all.tree_nodes.size());
  for (const std::uint32_t n : all.tree_nodes) {
    SmallTree& tree = ensemble.trees.emplace_back();
    tree.test = test.next(n);
    std::size_t leaves = 0, by_levels = 0;
    for (const std::uint8_t t : tree.test) leaves += is_leaf(t), by_levels += kind_of(t) == TestKind::levels;
    const std::size_t inner = n - leaves;
    tree.column = column.next(inner), tree.threshold = threshold.next(inner), tree.gain = gain.next(inner);
    if (by_levels > 0) {
      tree.level_start = starts(n_levels.next(by_levels));
      tree.level = level.next(tree.level_start.back()), tree.level_branch = level_branch.next(tree.level_start.back());
    }
    tree.n_rows = n_rows.next(leaves);
    if (!all.weight.empty()) tree.weight = weight.next(leaves);
    if (!all.impurity.empty()) tree.impurity = impurity.next(leaves);
    if (n_classes == 0) {
      tree.value = value.next(leaves);
      continue;
    }
    tree.count_start = starts(n_counts.next(leaves));
    tree.count_class = count_class.next(tree.count_start.back());
    tree.count_weight = count_weight.next(tree.count_start.back());
  }
  test.check_end(), level_branch.check_end(), column.check_end(), threshold.check_end(), gain.check_end();
  weight.check_end(), impurity.check_end(), value.check_end(), count_weight.check_end(), n_levels.check_end();
  level.check_end(), n_rows.check_end(), n_counts.check_end(), count_class.check_end();
  return ensemble;
}

std::int64_t depth_of(const SmallTree& tree) {
  std::int64_t deepest = 0;
  std::vector<std::int64_t> open;  // depths of the second children to come
  std::int64_t depth = 0;
  for (const std::uint8_t test : tree.test) {
    deepest = std::max(deepest, depth);
    if (!is_leaf(test)) {
      open.push_back(++depth);
    } else if (!open.empty()) {
      depth = open.back(), open.pop_back();
    }
  }
  return deepest;
}

}  // namespace tw
