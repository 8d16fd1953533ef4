// What a test is worth (Quinlan 1993, chapter 2): gain, split information and their ratio, all in bits.
#pragma once

#include <cmath>    // for abs
#include <cstdint>  // for uint32_t

#include "grow/c45/bits.hpp"
#include "grow/c45/rules.hpp"

namespace tw {

// The best test of one column.
struct C45Worth {
  bool usable = false;  // there is one that the size rule allows
  double gain = 0, ratio = 0, split_info = 0;
  std::uint32_t place = 0;  // in the table of counts: the last value on the left, or the level that is told apart
};

// The sums from which a test is judged, each a sum of w log2 w.
struct C45Sums {
  double total = 0, known = 0, missing = 0;  // weights: of the node, of its rows with a known value, of the others
  double base = 0;                           // weight × entropy of the known rows
};

// after: Σ_branches weight × entropy, over known rows.
inline double c45_gain(const C45Sums& sums, double after) {
  const double fall = sums.known / sums.total * (sums.base - after);
  return std::abs(fall) < C45Rules::kTiny ? 0 : fall / sums.known;
}

// sizes: Σ_branches w log2 w of the known rows. Rows without a value are one more outcome.
inline double c45_split_info(const C45Sums& sums, double sizes, const Bits& bits) {
  return (bits(sums.total) - sizes - bits(sums.missing)) / sums.total;
}

inline void set_ratio(C45Worth& worth, const C45Sums& sums, double sizes, const Bits& bits) {
  worth.split_info = c45_split_info(sums, sizes, bits);
  worth.ratio = worth.split_info * sums.total < C45Rules::kTiny ? 0 : worth.gain / worth.split_info;
}

}  // namespace tw
