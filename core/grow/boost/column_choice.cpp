#include "grow/boost/column_choice.hpp"

#include <algorithm>  // for sort, swap
#include <numeric>    // for iota

#include "base/counted_random.hpp"

namespace tw {
namespace {

// The first `count` of a shuffle, ascending. 0 and too many: all.
std::vector<std::int32_t> draw_columns(std::vector<std::int32_t> columns, std::uint32_t count, std::uint64_t key) {
  if (count == 0 || count >= columns.size()) return columns;
  for (std::uint32_t i = 0; i < count; ++i)
    std::swap(columns[i], columns[i + below(drawn(key, i), columns.size() - i)]);
  columns.resize(count);
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace

ColumnChoice::ColumnChoice(const BoostRules& rules, std::int32_t n_columns) : rules_(rules), all_(n_columns) {
  std::iota(all_.begin(), all_.end(), 0);
  for (const auto& group : rules.together) {
    in_group_.emplace_back(n_columns, 0);
    for (const std::int32_t column : group) in_group_.back()[column] = 1;
  }
  of_tree_ = all_;
}

void ColumnChoice::start_tree(std::uint64_t key) { of_tree_ = draw_columns(all_, rules_.columns_per_tree, key); }

std::vector<std::int32_t> ColumnChoice::of_node(const BoostedNode& node) const {
  std::vector<std::int32_t> columns;
  for (const std::int32_t column : of_tree_) {
    bool may = in_group_.empty();
    for (const std::uint32_t group : node.groups) may = may || in_group_[group][column];
    if (may) columns.push_back(column);
  }
  return draw_columns(std::move(columns), rules_.columns_per_node, node.key);
}

std::vector<std::uint32_t> ColumnChoice::groups_below(const BoostedNode& node, std::int32_t column) const {
  std::vector<std::uint32_t> left;
  for (const std::uint32_t group : node.groups)
    if (in_group_[group][column]) left.push_back(group);
  return left;
}

std::vector<std::uint32_t> ColumnChoice::all_groups() const {
  std::vector<std::uint32_t> groups(in_group_.size());
  std::iota(groups.begin(), groups.end(), 0u);
  return groups;
}

}  // namespace tw
