// A random grouping of levels for extra trees.
#pragma once

#include <bit>      // for countr_zero, popcount
#include <cstdint>  // for uint16_t, uint32_t, uint64_t
#include <vector>   // for vector

#include "base/counted_random.hpp"
#include "grow/forest/level_orders.hpp"

namespace tw {

// The levels of a column at a node, and a side for each by its own random bit, until both sides have one. Of few levels
// those present and those on the left are bits of a word: most nodes have a handful of rows, so little is to be kept.
class RandomLevels {
 public:
  static constexpr std::uint32_t kBits = 64;

  // codes: 0 is missing.
  void find(const std::uint16_t* codes, std::uint32_t n, std::uint32_t n_codes) {
    n_codes_ = n_codes;
    if (!is_narrow()) return present_.find(codes, n, n_codes, false);
    std::uint64_t seen = 0;
    for (std::uint32_t i = 0; i < n; ++i) seen |= std::uint64_t{1} << codes[i];
    has_missing_ = seen & 1, levels_ = seen & ~std::uint64_t{1};
  }
  std::size_t size() const {
    return is_narrow() ? static_cast<std::size_t>(std::popcount(levels_)) : present_.codes().size();
  }
  bool has_missing() const { return is_narrow() ? has_missing_ : present_.n_missing() > 0; }
  std::vector<std::uint32_t> codes() const { return is_narrow() ? codes_of(levels_) : present_.codes(); }

  // Needs two levels. Gives the side of each code: 0 missing, 1 left, 2 right.
  const std::uint8_t* draw(std::uint64_t key) {
    side_of_code_.assign(n_codes_ + 1, 2);
    side_of_code_[0] = 0;
    if (!is_narrow()) {
      draw_many(key);
      for (const std::uint32_t code : many_left_) side_of_code_[code] = 1;
    } else {
      left_ = draw_few(key);
      for (std::uint64_t rest = left_; rest; rest &= rest - 1) side_of_code_[first_of(rest)] = 1;
    }
    return side_of_code_.data();
  }
  std::vector<std::uint32_t> left() const { return is_narrow() ? codes_of(left_) : many_left_; }

 private:
  bool is_narrow() const { return n_codes_ < kBits; }
  static std::uint32_t first_of(std::uint64_t bits) { return static_cast<std::uint32_t>(std::countr_zero(bits)); }
  static std::vector<std::uint32_t> codes_of(std::uint64_t bits) {
    std::vector<std::uint32_t> codes;
    for (; bits; bits &= bits - 1) codes.push_back(first_of(bits));
    return codes;
  }

  std::uint64_t draw_few(std::uint64_t key) const {
    for (std::uint64_t round = 0;; ++round) {
      const std::uint64_t stream = stream_key({key, round});
      std::uint64_t left = 0;
      for (std::uint64_t rest = levels_; rest; rest &= rest - 1) {
        const std::uint32_t code = first_of(rest);
        left |= drawn(stream, code) >> 63 << code;
      }
      if (left != 0 && left != levels_) return left;
    }
  }
  void draw_many(std::uint64_t key) {
    for (std::uint64_t round = 0;; ++round) {
      const std::uint64_t stream = stream_key({key, round});
      many_left_.clear();
      for (const std::uint32_t code : present_.codes())
        if (drawn(stream, code) >> 63) many_left_.push_back(code);
      if (!many_left_.empty() && many_left_.size() < present_.codes().size()) return;
    }
  }

  std::uint32_t n_codes_ = 0;
  bool has_missing_ = false;
  std::uint64_t levels_ = 0, left_ = 0;
  PresentLevels present_;
  std::vector<std::uint32_t> many_left_;
  std::vector<std::uint8_t> side_of_code_;
};

}  // namespace tw
