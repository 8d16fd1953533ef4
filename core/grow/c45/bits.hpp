// w log2 w: what every entropy, gain and split information is made of.
//
// Whole weights are looked up: unless values are missing or rows have weights of their own, all weights are whole.
// Others go through a logarithm of our own, which is several times faster than the library's and gives the same bits
// everywhere: with the mantissa m near an entry c of a table, log2 m = log2 c + log2(1 + (m − c) / c), where four terms
// of the series are exact to the last bit or two.
#pragma once

#include <array>    // for array
#include <bit>      // for bit_cast
#include <cmath>    // for log2
#include <cstddef>  // for size_t
#include <cstdint>  // for uint64_t
#include <vector>   // for vector

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

}  // namespace tw
