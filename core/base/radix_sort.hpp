// Least-significant-digit radix sort of 64-bit words by their upper 32 bits (a key), carrying the lower 32 (a row).
// Stable: equal keys keep their order. Passes in which all keys share the digit are skipped.
#pragma once

#include <algorithm>  // for sort, swap
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

}  // namespace tw
