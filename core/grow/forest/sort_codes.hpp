// Sorts words whose upper half is a 16-bit code by that code; equal codes keep their order. Two passes of eight bits,
// each left out where all words share the digit.
#pragma once

#include <cstdint>  // for uint32_t
#include <cstring>  // for memset
#include <utility>  // for swap

#include "grow/exact/lists.hpp"
#include "grow/forest/all_pairs.hpp"

namespace tw {

// Word: (code, anything). The result lies where the returned pointer says: in words or in other.
template <class Word>
Word* sort_by_code(Word* words, Word* other, std::size_t n) {
  constexpr int kShift = WordParts<Word>::kShift;
  std::uint32_t low[256], high[256];
  std::memset(low, 0, sizeof low), std::memset(high, 0, sizeof high);
  for (std::size_t i = 0; i < n; ++i) {
    const auto code = static_cast<std::uint32_t>(words[i] >> kShift);
    ++low[code & 255], ++high[code >> 8];
  }
  auto pass = [&](std::uint32_t* start, int shift) {
    if (start[(words[0] >> shift) & 255] == n) return;
    std::uint32_t sum = 0;
    for (int b = 0; b < 256; ++b) {
      const std::uint32_t count = start[b];
      start[b] = sum, sum += count;
    }
    for (std::size_t i = 0; i < n; ++i) other[start[(words[i] >> shift) & 255]++] = words[i];
    std::swap(words, other);
  };
  pass(low, kShift);
  pass(high, kShift + 8);
  return words;
}

// The same for up to kMostPairs words that all differ: by their ranks.
inline std::uint32_t* sort_few(std::uint32_t* words, std::uint32_t* other, std::uint32_t n) {
  alignas(64) std::uint32_t ranks[kPairsRoom];
  ranks_of(words, n, ranks);
  for (std::uint32_t i = 0; i < n; ++i) other[ranks[i]] = words[i];
  return other;
}

}  // namespace tw
