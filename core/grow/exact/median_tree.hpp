// MedianTree: a set of weighted numbers that can tell its lower weighted median and the sum of absolute deviations
// from it, in O(log n) per change (a Fenwick tree over the ranks of the numbers). Exact integers throughout.
#pragma once

#include <cstdint>  // for int64_t
#include <vector>   // for vector

namespace tw {

class MedianTree {
 public:
  // values: the distinct numbers, ascending; rank r stands for values[r].
  void reset(std::vector<std::int64_t> values) {
    values_ = std::move(values);
    weight_.assign(values_.size() + 1, 0);
    sum_.assign(values_.size() + 1, 0);
    total_weight_ = 0, total_sum_ = 0;
    top_ = 1;
    while (top_ * 2 <= values_.size()) top_ *= 2;
  }

  void add(std::uint32_t rank, std::int64_t w) {
    const __int128 product = static_cast<__int128>(w) * values_[rank];
    total_weight_ += w, total_sum_ += product;
    for (std::size_t i = rank + 1; i < weight_.size(); i += i & (0 - i)) weight_[i] += w, sum_[i] += product;
  }

  std::int64_t value(std::uint32_t rank) const { return values_[rank]; }
  std::uint32_t median_rank() const { return descend().rank; }

  // Σ w |value − median|.
  double deviation() const {
    if (total_weight_ == 0) return 0;
    const Found at = descend();
    const __int128 median = values_[at.rank];
    const __int128 below = median * at.weight_before - at.sum_before;
    const __int128 above = (total_sum_ - at.sum_before) - median * (total_weight_ - at.weight_before);
    return static_cast<double>(below + above);
  }

 private:
  struct Found {
    std::uint32_t rank;
    std::int64_t weight_before;
    __int128 sum_before;
  };

  // The smallest rank whose cumulative weight reaches half of the total.
  Found descend() const {
    std::size_t at = 0;
    std::int64_t weight = 0;
    __int128 sum = 0;
    for (std::size_t step = top_; step > 0; step /= 2) {
      const std::size_t next = at + step;
      if (next < weight_.size() && 2 * (weight + weight_[next]) < total_weight_) {
        at = next;
        weight += weight_[next], sum += sum_[next];
      }
    }
    return {static_cast<std::uint32_t>(at), weight, sum};
  }

  std::vector<std::int64_t> values_, weight_;
  std::vector<__int128> sum_;
  std::int64_t total_weight_ = 0;
  __int128 total_sum_ = 0;
  std::size_t top_ = 1;
};

}  // namespace tw
