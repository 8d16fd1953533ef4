// How good the answers out of bag are while a forest grows.
#include <algorithm>  // for max_element
#include <atomic>     // for atomic_ref
#include <limits>     // for numeric_limits

#include "grow/forest/out_of_bag.hpp"

namespace tw {
namespace {

// atomic_ref takes no const objects before C++26; nothing is written.
template <class T>
T now(const T& sum) {
  return std::atomic_ref<T>(const_cast<T&>(sum)).load(std::memory_order_relaxed);
}

// Sums over the rows that have an answer.
struct ScoredRows {
  double weight = 0, right = 0;          // classes
  double sum = 0, squares = 0, off = 0;  // numbers: of the target, and of its squared distance from the answer
};

}  // namespace

double OutOfBag::score() const {
  ScoredRows all;
  std::vector<std::int64_t> said(n_outputs_);
  for (const std::uint32_t row : target_.rows) {
    const std::uint32_t n = now(n_trees_[row]);
    if (n == 0) continue;
    const auto weight = static_cast<double>(target_.weight_of(row));
    for (std::size_t k = 0; k < n_outputs_; ++k) said[k] = now(sums_[row * n_outputs_ + k]);
    all.weight += weight;
    if (!target_.is_regression()) {
      const auto answer = std::max_element(said.begin(), said.end()) - said.begin();
      all.right += answer == target_.classes[row] ? weight : 0;
      continue;
    }
    const double y = static_cast<double>(target_.level[row]) * target_.level_unit;
    const double off = y - static_cast<double>(said[0]) * unit_ / n;
    all.sum += weight * y, all.squares += weight * y * y, all.off += weight * off * off;
  }
  if (all.weight == 0) return std::numeric_limits<double>::quiet_NaN();
  if (!target_.is_regression()) return all.right / all.weight;
  const double spread = all.squares - all.sum * all.sum / all.weight;
  return spread > 0 ? 1 - all.off / spread : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tw
