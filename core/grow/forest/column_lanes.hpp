// Several columns of a node at a time: the codes of a row in up to 16 columns stand in the lanes of one vector, so
// smallest, largest and sums of all these columns come out of one pass over the rows, without a sum across lanes. Most
// nodes of a fully grown tree have a handful of rows, and there this is what makes a column cheap.
// Integers: the vector forms chosen at run time give the same answers.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint16_t

namespace tw {

constexpr std::uint32_t kLanes = 16;

// Which columns stand in the lanes; lanes beyond the last column repeat column 0.
struct LaneColumns {
  alignas(64) std::uint32_t of[kLanes] = {};
  std::uint32_t count = 0;
};

// A table by rows. Nothing is read beyond a row's n_columns codes.
struct RowsOfCodes {
  const std::uint16_t* base;
  std::size_t row_step, n_columns;
};

struct LaneRanges {
  alignas(32) std::uint16_t least_before[kLanes];  // smallest known code − 1
  alignas(32) std::uint16_t least[kLanes];         // 0 where a code is missing
  alignas(32) std::uint16_t highest[kLanes];
};

// Copies the codes of the rows into `to`, kLanes for each row, and tells their ranges.
LaneRanges pick_columns(const RowsOfCodes& table, const LaneColumns& columns, const std::uint32_t* rows,
                        std::uint32_t n, std::uint16_t* to);

// A cut of each lane: codes 1 … cut are left of it. Codes above `from`, `reach` of them, are open: whether they are
// left of the cut has not been looked up.
struct LaneCuts {
  alignas(32) std::uint16_t cut[kLanes], from[kLanes], reach[kLanes];
};
struct LaneSums {
  std::uint32_t a[kLanes], b[kLanes], rows[kLanes];  // as CountSums
  std::uint16_t any_open[kLanes];                    // not 0: a row has an open code
};
// picked: from pick_columns. words: as for counts_up_to.
void sums_of_lanes(const std::uint16_t* picked, const std::uint16_t* words, std::uint32_t n, const LaneCuts& cuts,
                   LaneSums& sums);

// Collects the codes of some rows of a column.

// to[i] = from[rows[i]]; one code beyond the last of `from` may be read too. Row numbers are below 2^31.
void gather_codes(const std::uint16_t* from, const std::uint32_t* rows, std::uint32_t n, std::uint16_t* to);

}  // namespace tw
