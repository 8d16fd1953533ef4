#include "grow/forest/growing_tree.hpp"

#include <algorithm>  // for clamp, copy, max

#include "grow/forest/all_pairs.hpp"
#include "grow/forest/leaf_rows.hpp"

namespace tw {

GrowingTree::GrowingTree(const std::vector<ForestColumn>& columns, const Target& target, const ForestRules& rules,
                         Workers& workers)
    : target_(target), rules_(rules), workers_(workers), draw_(static_cast<std::uint32_t>(columns.size())),
      draws_(rules.random_cuts || rules.sampling != Sampling::all_rows || rules.max_features < columns.size()) {}

std::uint32_t GrowingTree::rows_in_block(std::size_t bytes_of_row) const {
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(rules_.block_bytes / std::max<std::size_t>(1, bytes_of_row), 8, 65535));
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
  side_of_row_.resize(rows_.size() + kSlack);
}

bool GrowingTree::counts_at_all(std::uint32_t row) const {
  return rules_.class_weights.empty() || rules_.class_weights[target_.classes[row]] > 0;
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

void GrowingTree::write_test(TestKind kind, bool missing_second, std::int32_t column, double gain) {
  grown_.test.push_back(
      static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | (missing_second ? kMissingTakesSecond : 0)));
  grown_.column.push_back(column);
  grown_.gain.push_back(gain);
}

void GrowingTree::write_levels(const ForestColumn& column, const std::uint16_t* codes, std::uint32_t n,
                               const std::vector<std::uint8_t>& side) {
  SmallTree& tree = grown_;
  if (tree.level_start.empty()) tree.level_start.push_back(0);
  levels_.find(codes, n, column.n_codes);
  for (const std::uint32_t code : levels_.codes()) {
    tree.level.push_back(column.level_of(code));
    tree.level_branch.push_back(side[code]);
  }
  tree.level_start.push_back(static_cast<std::uint32_t>(tree.level.size()));
}

void GrowingTree::finish() {
  SmallTree& tree = grown_;
  room_.remember(tree);
  bool plain = true, all_pure = true;
  for (std::size_t i = 0; i < tree.n_leaves(); ++i) {
    plain = plain && tree.weight[i] == tree.n_rows[i];
    all_pure = all_pure && tree.impurity[i] == 0;
  }
  if (plain) tree.weight = {};
  if (all_pure) tree.impurity = {};
  keep_leaves(grown_, rules_.recipe.stop.max_leaves, static_cast<std::int32_t>(draw_.size()),
              static_cast<std::int32_t>(target_.n_classes));
}

}  // namespace tw
