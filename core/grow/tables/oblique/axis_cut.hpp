// The best split of one column, from its table of counts: a cut of an ordered column, or two groups of levels.
#pragma once

#include <cstdint>  // for uint64_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/tables/oblique/bits.hpp"
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

// The best cut of a column that is kept in order (tables/sorted_lists.hpp), for two classes and rows of weight 1.
//
// The same answer as axis_cut.cpp gives. Bits saved are convex in the class counts of the left side, so no cut between
// two others saves more than the corners of the rectangle between their counts: of the strides of 32 rows only those
// whose corners could win are looked into.

struct ListCut {
  AxisCut cut;
  std::size_t n_codes = 0;  // that differ
};

// `second` has a bit for each row of the table: whether it belongs to the second class. No row lacks a value.
ListCut find_list_cut(std::span<const std::uint64_t> list, std::span<const std::int64_t> classes,
                      std::span<const std::uint32_t> second, const AxisRules& rules);

}  // namespace tw
