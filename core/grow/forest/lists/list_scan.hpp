// The largest score of the cuts of a sorted list, for two classes or a numeric target.
//
// A row's distance from the node's mean and its weight share a word, so the left sums of all cuts are one addition a
// row; what they score is then computed for a whole vector of cuts at a time, in floats. Which cut it is nobody asks:
// the few columns that may have won are looked at again in whole numbers.
#pragma once

#include <cstdint>  // for int64_t, uint32_t

namespace tw {

// The lower bits of a word are the weight, the upper ones the distance. No sum of weights may reach kMostListWeight.
constexpr int kListWeightBits = 24, kListValueBits = 38;
constexpr std::int64_t kMostListWeight = std::int64_t{1} << kListWeightBits;

inline std::int64_t packed_row(std::int64_t distance, std::int64_t weight) {
  return distance * kMostListWeight + weight;
}
// The upper half of a sum: the distance in units of 2^8, rounded down.
inline float distance_of(std::int64_t sum) { return static_cast<float>(static_cast<std::int32_t>(sum >> 32)); }
inline float weight_of(std::int64_t sum) {
  return static_cast<float>(static_cast<std::int32_t>(sum & (kMostListWeight - 1)));
}

// list: words of grow/exact/lists.hpp; packed: by row. A cut after place i counts where first <= i < last and the codes
// of i and i + 1 differ; last is below n. Gives the largest D² / (a (whole − a)), or 0 where there is no cut.
float largest_score(const std::uint32_t* list, const std::int64_t* packed, std::uint32_t first, std::uint32_t last,
                    float whole);

}  // namespace tw
