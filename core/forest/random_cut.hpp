// Random divisions for extra trees: one threshold, or one grouping of levels, for a column at a node.
#pragma once

#include <algorithm>  // for max, min, upper_bound
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "base/counted_random.hpp"
#include "forest/code_range.hpp"
#include "forest/forest_codes.hpp"
#include "grow/threshold_value.hpp"

namespace tw {

struct RandomThreshold {
  std::uint32_t cut = 0;  // the last code on the left
  double threshold = 0;
};

// A threshold that is uniform between the smallest and the largest number at the node. An ordinal scale has nothing
// between its levels, and a run of numbers that share a code is not divided.
inline RandomThreshold random_threshold(const ForestColumn& column, const CodeRange& range, std::uint64_t word) {
  const double low = column.lowest[range.lowest - 1], high = column.highest[range.highest - 1];
  const double share = unit_number(word);
  double t = low + share * (high - low);
  if (!(t >= low && t < high)) t = low * (1 - share) + high * share;  // the difference was too large for a double
  if (!(t >= low && t < high)) t = low;
  const auto first = column.highest.begin() + (range.lowest - 1), last = column.highest.begin() + (range.highest - 1);
  auto cut = static_cast<std::uint32_t>(std::upper_bound(first, last, t) - column.highest.begin());
  cut = std::max(cut, range.lowest);
  if (column.kind == Kind::ordinal) return {cut, column.highest[cut - 1]};
  if (t < column.highest[cut - 1] || t >= column.lowest[cut])  // inside a run
    t = midpoint(column.highest[cut - 1], column.lowest[cut]);
  return {cut, t};
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
