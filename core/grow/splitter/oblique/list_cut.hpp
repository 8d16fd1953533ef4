// The best cut of a column that is kept in order (tables/sorted_lists.hpp), for two classes and rows of weight 1.
//
// The same answer as axis_cut.cpp gives. Bits saved are convex in the class counts of the left side, so no cut between
// two others saves more than the corners of the rectangle between their counts: of the strides of 32 rows only those
// whose corners could win are looked into.
#pragma once

#include <cstdint>  // for uint64_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/splitter/oblique/axis_cut.hpp"

namespace tw {

struct ListCut {
  AxisCut cut;
  std::size_t n_codes = 0;  // that differ
};

// `second` has a bit for each row of the table: whether it belongs to the second class. No row lacks a value.
ListCut find_list_cut(std::span<const std::uint64_t> list, std::span<const std::int64_t> classes,
                      std::span<const std::uint32_t> second, const AxisRules& rules);

}  // namespace tw
