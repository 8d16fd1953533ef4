// Small nodes: the codes of a row in eight columns are the lanes of one vector, so a sorting network puts all columns
// in order at once, and one walk down the sorted vectors scores all their cuts. Most nodes of a fully grown tree have a
// handful of rows, and there this is what makes a column cheap.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint16_t, uint32_t

namespace tw {

constexpr std::uint32_t kKeyLanes = 8, kMostKeyGroups = 4, kMostKeyLanes = kKeyLanes * kMostKeyGroups;
constexpr std::uint32_t kMostKeyRows = 32;
// The lower bits of a row's word are its weight, the upper ones its distance from the node's mean.
constexpr int kKeyWeightBits = 7, kKeyValueBits = 23;
constexpr std::int32_t kMostKeyWeight = 1 << kKeyWeightBits;

// Row by row a key for each lane: the code in its upper half, the row's place in the lower one.
struct KeyLanes {
  alignas(64) std::uint32_t keys[kMostKeyRows][kMostKeyLanes];
  alignas(64) float largest[kMostKeyLanes];  // D² / (a (whole − a)) of the best cut of each lane; 0: there is none
  std::uint32_t n_rows = 0, n_groups = 0;

  std::uint32_t code(std::uint32_t place, std::uint32_t lane) const { return keys[place][lane] >> 16; }
  std::uint32_t row(std::uint32_t place, std::uint32_t lane) const { return keys[place][lane] & (kMostKeyRows - 1); }
};

// One lane of them: keys of words of grow/exact/lists.hpp.
struct KeyOrder {
  std::uint32_t keys[kMostKeyRows];
};

// keys[k] = the key of codes[k] for a row.
void widen_codes(const std::uint16_t* codes, std::uint32_t n, std::uint32_t row, std::uint32_t* keys);

// Every column in ascending order of its codes; equal ones stay in the order of their rows.
void sort_keys(KeyLanes& lanes);

// words: of each row, as described above. A cut after place i counts where first <= i < last and the codes differ.
void score_keys(KeyLanes& lanes, const std::int32_t* words, std::uint32_t first, std::uint32_t last, float whole);

}  // namespace tw
