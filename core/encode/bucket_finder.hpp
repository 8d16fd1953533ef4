// BucketFinder: key → bucket, for keys cut into at most 255 runs. A table over the upper 16 bits of the key leads to
// the right place or next to it, and one or two comparisons do the rest, without a branch.
#pragma once

#include <algorithm>  // for unique, sort
#include <bit>        // for bit_cast
#include <cmath>      // for isnan
#include <cstdint>    // for uint32_t, uint64_t
#include <vector>     // for vector

#include "base/radix_sort.hpp"

namespace tw {

class BucketFinder {
 public:
  static constexpr std::uint32_t kMaxBuckets = 255;

  // sample: keys of some rows (none 0), in any order.
  static BucketFinder of_sample(std::vector<std::uint32_t> sample) {
    sort(sample);
    std::vector<std::uint32_t> last_key;
    for (std::uint32_t k = 1; k < kMaxBuckets; ++k) last_key.push_back(sample[sample.size() * k / kMaxBuckets]);
    return BucketFinder(std::move(last_key));
  }

  // last_key: of each bucket but the last, never descending.
  explicit BucketFinder(std::vector<std::uint32_t> last_key) : first_(65537, 0), last_key_(std::move(last_key)) {
    last_key_.erase(std::unique(last_key_.begin(), last_key_.end()), last_key_.end());
    std::size_t at = 0;
    for (std::uint32_t cell = 0; cell < 65536; ++cell) {
      while (at < last_key_.size() && last_key_[at] < cell << 16) ++at;
      first_[cell] = static_cast<std::uint8_t>(at);
      std::size_t end = at;
      while (end < last_key_.size() && (last_key_[end] >> 16) == cell) ++end;
      most_in_cell_ = std::max(most_in_cell_, end - at);
    }
    last_key_.resize(last_key_.size() + 3, 0xffffffffu);
  }

  std::uint32_t n_buckets() const { return static_cast<std::uint32_t>(last_key_.size()) - 2; }

  // Bucket k (from 1) holds the keys above last_key[k − 2] up to last_key[k − 1]; key 0 (missing) has bucket 0.
  std::uint8_t find(std::uint32_t key) const {
    std::uint32_t at = first_[key >> 16];
    at += key > last_key_[at];
    at += key > last_key_[at];
    if (most_in_cell_ > 2)
      while (key > last_key_[at]) ++at;
    return key ? static_cast<std::uint8_t>(at + 1) : 0;
  }

 private:
  static void sort(std::vector<std::uint32_t>& keys) {
    std::vector<std::uint64_t> words(keys.size()), other(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) words[i] = static_cast<std::uint64_t>(keys[i]) << 32;
    const std::uint64_t* sorted = radix_sort(words.data(), other.data(), words.size(), 32);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(sorted[i] >> 32);
  }

  std::vector<std::uint8_t> first_;
  std::vector<std::uint32_t> last_key_;
  std::size_t most_in_cell_ = 0;
};

// Numbers with few different values: if a column has at most 255 of them, they become codes in ascending order.

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

  // By place.
  std::vector<double> numbers() const {
    std::vector<double> each;
    for (const std::uint64_t bits : bits_) each.push_back(std::bit_cast<double>(bits));
    return each;
  }

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
