// The best split of one column, from its table of counts: a cut of an ordered column, or two groups of levels.
#pragma once

#include "grow/splitter/oblique/bits.hpp"
#include "grow/tables/splitter.hpp"

namespace tw {

// Where rows without a value go, decided by the search. The numbers are those of branches.
enum class AxisMissing : std::uint8_t { left = 0, right = 1, heavier = 2, apart = 3 };  // apart: known | missing

struct AxisCut {
  bool found = false;
  double saved = 0;  // bits, in units of weight
  std::uint32_t cut = 0, next = 0;
  AxisMissing missing = AxisMissing::heavier;
  std::vector<LevelBranch> levels;
};

struct AxisRules {
  const Logarithms& logs;
  std::int64_t min_leaf;  // rows; no side may have fewer
  bool learns;            // rows without a value are tried on both sides; else only known rows are scored
};

AxisCut find_axis_cut(const NodeView& node, std::int32_t column, const ColumnCounts& counts, const AxisRules& rules);

// Bits that tell which of its cuts a column is split at.
double axis_price(bool nominal, std::size_t n_codes, bool missing_is_learnt);

}  // namespace tw
