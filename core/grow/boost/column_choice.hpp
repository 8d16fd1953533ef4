// Which columns a node may ask: those drawn for the tree, of these the ones drawn for the node, and only such as may
// stand on one path with the columns asked above it.
#pragma once

#include <cstdint>  // for int32_t
#include <vector>   // for vector

#include "grow/boost/boosted_node.hpp"
#include "grow/boost/rules.hpp"

namespace tw {

class ColumnChoice {
 public:
  ColumnChoice(const BoostRules& rules, std::int32_t n_columns);

  // Draws the columns of a tree; the key is that of its random numbers.
  void start_tree(std::uint64_t key);
  std::vector<std::int32_t> of_node(const BoostedNode& node) const;
  // The groups that are left below a node that asks this column.
  std::vector<std::uint32_t> groups_below(const BoostedNode& node, std::int32_t column) const;
  std::vector<std::uint32_t> all_groups() const;

 private:
  const BoostRules& rules_;
  std::vector<std::vector<std::uint8_t>> in_group_;  // by group and column
  std::vector<std::int32_t> all_, of_tree_;
};

}  // namespace tw
