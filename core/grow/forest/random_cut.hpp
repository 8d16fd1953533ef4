// Random divisions for extra trees: one threshold, or one grouping of levels, for a column at a node.
#pragma once

#include <algorithm>  // for max, min, upper_bound
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "base/counted_random.hpp"
#include "grow/forest/code_range.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/threshold_value.hpp"

namespace tw {

// A number that is uniform between the smallest and the largest at the node, and below the largest.
inline double random_number(const ForestColumn& column, const CodeRange& range, std::uint64_t word) {
  const double low = column.lowest[range.lowest - 1], high = column.highest[range.highest - 1];
  const double share = unit_number(word);
  const double x = low + share * (high - low);
  if (x >= low && x < high) return x;
  const double y = low * (1 - share) + high * share;  // the difference was too large for a double
  return y >= low && y < high ? y : low;
}

// The last code that is on the left of x; at least the node's lowest.
inline std::uint32_t code_left_of(const ForestColumn& column, const CodeRange& range, double x) {
  const CodeGuide::Place place = column.guide.place(x);
  const auto from = column.highest.begin() + place.from, to = column.highest.begin() + place.to;
  const auto code = static_cast<std::uint32_t>(std::upper_bound(from, to, x) - column.highest.begin());
  return std::min(std::max(code, range.lowest), range.highest - 1);
}

// The same as far as the node's rows are concerned: the column is asked only where the guide leaves a row undecided.
inline std::uint32_t code_left_of(const ForestColumn& column, const CodeRange& range, double x,
                                  const std::uint16_t* codes, std::uint32_t n) {
  const CodeGuide::Place place = column.guide.place(x);
  if (any_above_up_to(codes, n, place.from, place.to)) return code_left_of(column, range, x);
  return std::min(std::max(place.from, range.lowest), range.highest - 1);
}

// The threshold to be stored: an ordinal scale has nothing between its levels, and a run of numbers that share a code
// is not divided.
inline double stored_threshold(const ForestColumn& column, std::uint32_t cut, double x) {
  if (column.kind == Kind::ordinal) return column.highest[cut - 1];
  if (x >= column.highest[cut - 1] && x < column.lowest[cut]) return x;
  return midpoint(column.highest[cut - 1], column.lowest[cut]);
}

// Chooses a side for every level present, by its own random bit, until both sides have one. Gives the left codes.
inline void random_levels(const std::vector<std::uint32_t>& present, std::uint64_t key,
                          std::vector<std::uint32_t>& left) {
  for (std::uint64_t round = 0;; ++round) {
    const std::uint64_t stream = stream_key({key, round});
    left.clear();
    for (const std::uint32_t code : present)
      if (drawn(stream, code) >> 63) left.push_back(code);
    if (!left.empty() && left.size() < present.size()) return;
  }
}

}  // namespace tw
