// The range of the known codes of a column at a node.
#pragma once

#include <cstdint>  // for uint32_t

namespace tw {

struct CodeRange {
  std::uint32_t lowest = 0xffffffffu, highest = 0;  // of the known codes
  bool has_missing = false;

  bool one_known() const { return lowest >= highest; }  // at most one known value
  bool constant() const { return lowest > highest || (lowest == highest && !has_missing); }
};

CodeRange known_range(const std::uint16_t* codes, std::uint32_t n);

// The largest code up to `cut`, and the smallest above it.
struct CodesBeside {
  std::uint32_t left, right;
};
CodesBeside codes_beside(const std::uint16_t* codes, std::uint32_t n, std::uint32_t cut);

// Whether a code lies above `low` and not above `high`.
bool any_above_up_to(const std::uint16_t* codes, std::uint32_t n, std::uint32_t low, std::uint32_t high);

}  // namespace tw
