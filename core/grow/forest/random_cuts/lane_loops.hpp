// The loops of extra trees: eight columns of a row stand in the lanes of one vector, so ranges and sums of all columns
// of a node come out of one pass over its rows each, without a sum across lanes. Most nodes of a fully grown tree have
// a handful of rows, and there this is what makes a column cheap. Sums are integers, and all else is done lane by lane:
// the forms chosen at run time give the same answers.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t, uint64_t

namespace tw {

constexpr std::uint32_t kLanes = 8, kMostGroups = 4, kMostLanes = kLanes * kMostGroups;

// Rows of a table by rows: row i is number rows[i], or i where there are no numbers. `lanes` columns of it are read.
template <class Number>
struct LaneRows {
  const Number* base;
  std::size_t step;
  const std::uint32_t* rows;
  std::uint32_t n, n_groups;

  const Number* at(std::uint32_t i) const { return base + (rows ? rows[i] : i) * step; }
};

// Copies columns of[0 … count − 1] of each row next to each other, kLanes · n_groups cells a row.
template <class Number>
void pick_columns(const LaneRows<Number>& from, const std::uint32_t* of, std::uint32_t count, Number* to);

// The smallest and the largest number of each lane; NaN is left out (low > high where there is nothing else).
template <class Number>
struct LaneRanges {
  alignas(64) Number low[kMostLanes], high[kMostLanes];
};
template <class Number>
void ranges_of(const LaneRows<Number>& cells, LaneRanges<Number>& ranges);

// NaN for each lane in which a row has no number, else 0.
template <class Number>
void find_missing(const LaneRows<Number>& cells, Number* missing);

// A number for each lane, uniform between low and high and below high (where low < high), from word first_word + column
// of the stream; and the largest Number that is not above it: the same numbers are at most either.
template <class Number>
struct LaneCuts {
  alignas(64) double number[kMostLanes];
  alignas(64) Number last[kMostLanes];
};
template <class Number>
void draw_cuts(const LaneRanges<Number>& ranges, const std::uint32_t* columns, std::uint32_t n_groups,
               std::uint64_t stream, std::uint64_t first_word, LaneCuts<Number>& cuts);

// The same for one column.
double number_between(double low, double high, std::uint64_t word);

// What is left of the cut in each lane: rows, and the sums of two numbers a row. Without weights a is rows. NaN is on
// the left where missing_left says so.
struct LaneSums {
  alignas(64) std::int32_t rows[kMostLanes], a[kMostLanes], b[kMostLanes];
};
template <class Number>
void sums_of_lanes(const LaneRows<Number>& cells, const Number* last, bool missing_left, const std::int32_t* weights,
                   const std::int32_t* values, LaneSums& sums);

// The same by class: counts[k · kMostLanes + lane] is the weight of class k left of the cut; weights may be null.
template <class Number>
void counts_of_lanes(const LaneRows<Number>& cells, const Number* last, bool missing_left, const std::uint16_t* classes,
                     const std::int32_t* weights, std::uint32_t n_classes, std::int32_t* counts, std::int32_t* rows);

// Quadratic scores D² / (a (whole − a)) of all lanes, where D = b is known to within `slack`: no more than `most`, no
// less than `least`; both −1 where a side is empty or `open` is 0.
struct LaneScores {
  alignas(64) float most[kMostLanes], least[kMostLanes];
};
float score_lanes(const LaneSums& sums, const std::uint32_t* open, std::uint32_t n_groups, float whole, float slack,
                  LaneScores& scores);

}  // namespace tw
