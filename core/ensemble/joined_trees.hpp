// JoinedTrees: the arrays of all trees of an ensemble, one after the other, as they are saved. Lengths stand where a
// SmallTree has starts: they are shorter on disk, and those of another tree can be put behind them.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "ensemble/ensemble.hpp"

namespace tw {

struct JoinedTrees {
  std::vector<std::uint32_t> tree_nodes;  // nodes of each tree
  std::vector<std::uint8_t> test;
  std::vector<std::int32_t> column;
  std::vector<double> threshold, gain;
  std::vector<std::uint32_t> n_levels, level;
  std::vector<std::uint8_t> level_branch;
  std::vector<std::uint32_t> n_rows;
  std::vector<double> weight, impurity, value;  // weight, impurity: empty when they are in every tree
  std::vector<std::uint32_t> n_counts;
  std::vector<std::uint16_t> count_class;
  std::vector<double> count_weight;
};

JoinedTrees join(const Ensemble& ensemble);

// Throws BadInput when the lengths do not add up; check_ensemble looks at the rest.
Ensemble part(const JoinedTrees& all, std::int32_t n_columns, std::int32_t n_classes);

std::int64_t depth_of(const SmallTree& tree);

}  // namespace tw
