// Least-significant-digit radix sort of 64-bit words by their upper 32 bits (a key), carrying the lower 32 (a row).
// Stable: equal keys keep their order. Passes in which all keys share the digit are skipped.
#pragma once

#include <algorithm>  // for sort, swap, max, min
#include <cstdint>    // for uint32_t, uint64_t
#include <cstring>    // for memset
#include <vector>     // for vector

namespace tw {

struct RadixScratch {
  std::vector<std::uint64_t> words, other;
};

namespace radix_detail {

// One stable pass by the digit at `shift`. `start` holds the first position of each digit.
inline void scatter(const std::uint64_t* from, std::uint64_t* to, std::size_t n, int shift, std::uint32_t mask,
                    std::uint32_t* start) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = from[i];
    to[start[(word >> shift) & mask]++] = word;
  }
}

// Turns counts into first positions; false when one digit holds everything (the pass would move nothing).
inline bool prefix(std::uint32_t* count, std::uint32_t bins, std::size_t n) {
  std::uint32_t sum = 0;
  for (std::uint32_t b = 0; b < bins; ++b) {
    if (count[b] == n) return false;
    const std::uint32_t c = count[b];
    count[b] = sum;
    sum += c;
  }
  return true;
}

}  // namespace radix_detail

// Sorts words[0..n) by key; keys are < 2^key_bits. The result is in the returned pointer (words or other).
inline std::uint64_t* radix_sort(std::uint64_t* words, std::uint64_t* other, std::size_t n, int key_bits) {
  using namespace radix_detail;
  if (n <= 48) {
    std::sort(words, words + n);  // rows ascend within equal keys on entry, so this is the stable order too
    return words;
  }
  const int digit = n < 4096 ? 8 : 11;
  const int passes = (key_bits + digit - 1) / digit;
  const std::uint32_t bins = 1u << digit, mask = bins - 1;
  static thread_local std::vector<std::uint32_t> count;
  count.assign(static_cast<std::size_t>(passes) * bins, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto key = static_cast<std::uint32_t>(words[i] >> 32);
    for (int p = 0; p < passes; ++p) ++count[p * bins + ((key >> (digit * p)) & mask)];
  }
  std::uint64_t *from = words, *to = other;
  for (int p = 0; p < passes; ++p) {
    if (!prefix(&count[p * bins], bins, n)) continue;
    scatter(from, to, n, 32 + digit * p, mask, &count[p * bins]);
    std::swap(from, to);
  }
  return from;
}

inline int bits_for(std::uint32_t largest) {
  int bits = 1;
  while (bits < 32 && (largest >> bits) != 0) ++bits;
  return bits;
}

// Sorts the rows of a block by a 32-bit key each. Two radix passes over the upper bits of the keys' range bring nearly
// everything into place; the few neighbours that still share those bits are then settled by the whole key.

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
