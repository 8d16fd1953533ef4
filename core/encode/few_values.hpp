// Numbers with few different values: if a column has at most 255 of them, they become codes in ascending order.
#pragma once

#include <algorithm>  // for sort
#include <bit>        // for bit_cast
#include <cmath>      // for isnan
#include <cstdint>    // for uint64_t
#include <vector>     // for vector

namespace tw {

// A small open-addressing dictionary number → place, for at most 255 numbers.
class FewValues {
 public:
  static constexpr std::size_t kMost = 255;

  FewValues() : slot_(1024, 0) {}

  // 0 for NaN, else the place (from 1) of the number in order of appearance; −1 when there are too many.
  int place(double x) {
    if (!(x == x)) return 0;
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
    std::size_t at = (bits * 0x9E3779B97F4A7C15ull) >> 54;
    for (;; at = (at + 1) & 1023) {
      if (slot_[at] == 0) break;
      if (bits_[slot_[at] - 1] == bits) return slot_[at];
    }
    if (bits_.size() == kMost) return -1;
    bits_.push_back(bits);
    slot_[at] = static_cast<std::uint16_t>(bits_.size());
    return static_cast<int>(bits_.size());
  }

  std::size_t size() const { return bits_.size(); }

  // Rank (from 1) of each place in ascending order; entry 0 stays 0.
  std::vector<std::uint8_t> ranks() const {
    std::vector<std::uint8_t> order(bits_.size()), rank(bits_.size() + 1, 0);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
    std::sort(order.begin(), order.end(),
              [&](auto x, auto y) { return std::bit_cast<double>(bits_[x]) < std::bit_cast<double>(bits_[y]); });
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i] + 1] = static_cast<std::uint8_t>(i + 1);
    return rank;
  }

 private:
  std::vector<std::uint16_t> slot_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace tw
