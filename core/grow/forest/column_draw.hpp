// ColumnDraw: the columns of a node, drawn without replacement one at a time (Fisher and Yates), as many as are asked
// for. The order is a function of the node's key alone: the swaps of a node are undone before the next one draws.
#pragma once

#include <cstdint>  // for uint32_t
#include <numeric>  // for iota
#include <utility>  // for swap
#include <vector>   // for vector

#include "base/counted_random.hpp"

namespace tw {

class ColumnDraw {
 public:
  explicit ColumnDraw(std::uint32_t n_columns) : order_(n_columns) { std::iota(order_.begin(), order_.end(), 0u); }

  std::uint32_t size() const { return static_cast<std::uint32_t>(order_.size()); }

  void start(std::uint64_t key) {
    for (; n_drawn_ > 0; --n_drawn_) std::swap(order_[n_drawn_ - 1], order_[from_[n_drawn_ - 1]]);
    key_ = key;
  }

  // The next column; at most size() of them may be drawn after start().
  std::uint32_t next() {
    const std::uint32_t left = size() - n_drawn_;
    const auto at = n_drawn_ + static_cast<std::uint32_t>(below(drawn(key_, n_drawn_), left));
    if (from_.size() == n_drawn_) from_.push_back(0);
    from_[n_drawn_] = at;
    std::swap(order_[n_drawn_], order_[at]);
    return order_[n_drawn_++];
  }

 private:
  std::vector<std::uint32_t> order_, from_;
  std::uint32_t n_drawn_ = 0;
  std::uint64_t key_ = 0;
};

// The key of a node's child, so that no key depends on the order of growth.
inline std::uint64_t child_key(std::uint64_t key, std::uint64_t branch) { return stream_key({key, branch}); }

}  // namespace tw
