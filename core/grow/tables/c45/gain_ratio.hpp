// What a test is worth to C4.5: gain, split information and their ratio, in bits; and w log2 w, of which all are made.
//
// Whole weights are looked up: unless values are missing or rows have weights of their own, all weights are whole.
// Others go through a logarithm of our own, which is several times faster than the library's and gives the same bits
// everywhere: with the mantissa m near an entry c of a table, log2 m = log2 c + log2(1 + (m − c) / c), where four terms
// of the series are exact to the last bit or two.
#pragma once

#include <array>    // for array
#include <bit>      // for bit_cast
#include <cmath>    // for log2, abs
#include <cstddef>  // for size_t
#include <cstdint>  // for uint64_t, uint8_t, uint32_t
#include <vector>   // for vector

#include "grow/tables/column_counts.hpp"

namespace tw {

class Bits {
 public:
  explicit Bits(std::size_t largest) : table_(largest + 1), size_(static_cast<std::int64_t>(largest) + 1) {
    for (std::size_t i = 0; i < kEntries; ++i) {
      const double c = 1 + static_cast<double>(i) / kEntries;
      near_[i] = {1 / c, c, std::log2(c)};
    }
    for (std::size_t w = 0; w <= largest; ++w) table_[w] = slow(static_cast<double>(w));
  }

  double operator()(double w) const {
    const auto whole = static_cast<std::int64_t>(w);  // signed: one instruction each way
    return static_cast<double>(whole) == w && whole < size_ ? table_[whole] : slow(w);
  }

 private:
  static constexpr int kEntryBits = 10;
  static constexpr std::size_t kEntries = 1 << kEntryBits;
  static constexpr double kBitsPerNat = 1.4426950408889634;

  struct Entry {
    double inverse, c, log2;
  };

  double slow(double w) const {
    if (w < 1e-6) return 0;  // nothing, but for rounding
    const auto word = std::bit_cast<std::uint64_t>(w);
    const auto exponent = static_cast<int>(word >> 52) - 1023;
    const auto mantissa = std::bit_cast<double>((word & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    const Entry& near = near_[(word >> (52 - kEntryBits)) & (kEntries - 1)];
    const double r = (mantissa - near.c) * near.inverse;  // 0 … 2^-10
    const double series = r - r * r * (0.5 - r * (1.0 / 3 - r * (0.25 - r * 0.2)));
    return w * (exponent + (near.log2 + series * kBitsPerNat));
  }

  std::array<Entry, kEntries> near_;
  std::vector<double> table_;
  std::int64_t size_;
};

// The numbers of C4.5, as the user sets them, and the two programs that it follows.

// J48 is Weka's program, release_8 is Quinlan's own.
enum class C45Variant : std::uint8_t { j48, release_8 };

struct C45Rules {
  C45Variant variant = C45Variant::j48;
  double min_weight = 2;           // two branches must have this weight (MINOBJS, -M)
  bool binary = false;             // nominal tests ask for one level against the rest
  bool subsets = false;            // nominal tests put levels together
  bool mdl_correction = true;      // the number of cuts that were tried is paid for
  bool observed_threshold = true;  // a threshold is a value that occurs in the table
  double value_gap = 1e-5;         // values that are no further apart are not cut between

  bool is_j48() const { return variant == C45Variant::j48; }
  // J48 takes numbers for equal that are closer than this; release 8 compares them as they are, but what only rounding
  // tells apart is equal here.
  double margin() const { return is_j48() ? kTiny : kRounding; }

  static constexpr double kTiny = 1e-6;
  static constexpr double kRounding = 1e-12;
  static constexpr double kEpsilon = 1e-3;  // release 8's own margin where it speaks of gains
};

// What a test is worth (Quinlan 1993, chapter 2): gain, split information and their ratio, all in bits.

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

// ClassTable: a table of counts in weights instead of units: the class weights at each level (or value, ascending) that
// occurs among a node's known rows.

struct ClassTable {
  std::size_t n_classes = 0;
  std::vector<double> cells;    // levels × classes
  std::vector<double> weights;  // of each level
  std::vector<double> classes;  // of all known rows
  C45Sums sums;

  std::size_t n_levels() const { return n_levels_; }
  const double* level(std::size_t l) const { return cells.data() + l * n_classes; }

  void take(const ColumnCounts& counts, double unit, const Bits& bits) {
    n_classes = counts.n_classes, n_levels_ = counts.size();
    if (cells.size() < counts.classes.size()) cells.resize(counts.classes.size());
    if (weights.size() < n_levels_) weights.resize(n_levels_);
    classes.resize(n_classes);
    for (std::size_t i = 0; i < counts.classes.size(); ++i) cells[i] = double(counts.classes[i]) * unit;
    for (std::size_t l = 0; l < n_levels_; ++l) weights[l] = double(counts.weight[l]) * unit;
    for (std::size_t k = 0; k < n_classes; ++k) classes[k] = double(counts.known.classes[k]) * unit;
    sums.known = double(counts.known.weight) * unit;
    sums.missing = double(counts.missing.weight) * unit;
    sums.total = double(counts.known.weight + counts.missing.weight) * unit;
    sums.base = spread(classes.data(), sums.known, bits);
  }

  // Weight × entropy of some rows.
  double spread(const double* of_classes, double weight, const Bits& bits) const {
    double inner = 0;
    for (std::size_t k = 0; k < n_classes; ++k) inner += bits(of_classes[k]);
    return bits(weight) - inner;
  }

 private:
  std::size_t n_levels_ = 0;  // the memory behind may be longer: it is kept from node to node
};

}  // namespace tw
