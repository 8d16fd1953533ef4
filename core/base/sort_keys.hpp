// Sorts the rows of a block by a 32-bit key each. Two radix passes over the upper bits of the keys' range bring nearly
// everything into place; the few neighbours that still share those bits are then settled by the whole key.
#pragma once

#include <algorithm>  // for sort, max, min
#include <cstdint>    // for uint32_t, uint64_t
#include <vector>     // for vector

#include "base/radix_sort.hpp"

namespace tw {

struct KeyRange {
  std::uint32_t lowest = 0xffffffffu, highest = 0;
};

inline KeyRange range_of(const std::uint32_t* keys, std::size_t n) {
  KeyRange range;
  for (std::size_t i = 0; i < n; ++i) {
    range.lowest = std::min(range.lowest, keys[i]);
    range.highest = std::max(range.highest, keys[i]);
  }
  return range;
}

// words: sorted by the bits above `shift` of their keys; sorts each run that shares them by the whole word.
inline void settle_runs(std::uint64_t* words, std::size_t n, int shift) {
  const int top = 32 + shift;
  for (std::size_t begin = 0; begin + 1 < n;) {
    std::size_t end = begin + 1;
    while (end < n && (words[end] >> top) == (words[begin] >> top)) ++end;
    if (end - begin <= 16) {
      for (std::size_t i = begin + 1; i < end; ++i) {
        const std::uint64_t word = words[i];
        std::size_t j = i;
        for (; j > begin && words[j - 1] > word; --j) words[j] = words[j - 1];
        words[j] = word;
      }
    } else {
      std::sort(words + begin, words + end);
    }
    begin = end;
  }
}

// Gives (key − lowest, place) words in ascending order; the result lies in scratch.words or scratch.other.
inline std::uint64_t* sort_keys(const std::uint32_t* keys, std::size_t n, const KeyRange& range,
                                RadixScratch& scratch) {
  std::uint64_t *first = scratch.words.data(), *second = scratch.other.data();
  if (n <= 48) {
    for (std::size_t i = 0; i < n; ++i) first[i] = static_cast<std::uint64_t>(keys[i] - range.lowest) << 32 | i;
    std::sort(first, first + n);
    return first;
  }
  const int digit = n < 2048 ? 8 : 11, bits = bits_for(range.highest - range.lowest);
  const int shift = std::max(0, bits - 2 * digit);
  const std::uint32_t bins = 1u << digit, mask = bins - 1;
  static thread_local std::vector<std::uint32_t> count;
  count.assign(2 * bins, 0);
  std::uint32_t *low = count.data(), *high = low + bins;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key = (keys[i] - range.lowest) >> shift;
    ++low[key & mask], ++high[key >> digit];
  }
  std::uint32_t low_sum = 0, high_sum = 0;
  for (std::uint32_t b = 0; b < bins; ++b) {
    const std::uint32_t l = low[b], h = high[b];
    low[b] = low_sum, high[b] = high_sum;
    low_sum += l, high_sum += h;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key = keys[i] - range.lowest;
    first[low[(key >> shift) & mask]++] = static_cast<std::uint64_t>(key) << 32 | i;
  }
  if (bits <= digit) return first;  // few different keys: the first pass has seen all of them
  for (std::size_t i = 0; i < n; ++i) second[high[first[i] >> (32 + shift + digit)]++] = first[i];
  if (shift > 0) settle_runs(second, n, shift);
  return second;
}

}  // namespace tw
