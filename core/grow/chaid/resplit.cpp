#include "grow/chaid/resplit.hpp"

#include <algorithm>  // for sort, stable_sort
#include <utility>    // for move, swap

namespace tw::chaid {
namespace {

struct Division {
  Group left, right;
  Answer answer;
};

// Keeps the division with the smallest p; of equals the larger statistic, then the first.
class Best {
 public:
  explicit Best(const Groups& groups) : groups_(groups) {}

  void offer(Group left, Group right) {
    const Answer answer = groups_.cells().compare_pair(groups_.sum_of(left, 0), groups_.sum_of(right, 1));
    if (best_.left.empty() || Likeness(best_.answer) < Likeness(answer))
      best_ = {std::move(left), std::move(right), answer};
  }
  const Division& get() const { return best_; }

 private:
  const Groups& groups_;
  Division best_;
};

void offer_subsets(const Group& group, Best& best) {
  const std::size_t others = group.size() - 1;
  for (std::size_t mask = 0; mask + 1 < std::size_t(1) << others; ++mask) {
    Group left{group[0]}, right;
    for (std::size_t bit = 0; bit < others; ++bit) (mask >> bit & 1 ? left : right).push_back(group[bit + 1]);
    best.offer(std::move(left), std::move(right));
  }
}

void offer_cuts(Group order, Best& best) {
  for (std::size_t cut = 1; cut < order.size(); ++cut) {
    Group left(order.begin(), order.begin() + std::ptrdiff_t(cut)),
        right(order.begin() + std::ptrdiff_t(cut), order.end());
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    best.offer(std::move(left), std::move(right));
  }
}

}  // namespace

void resplit(Groups& groups, std::size_t place, Merging merging, double log_alpha) {
  const Group& group = groups.partition()[place];
  if (group.size() < 3) return;
  Best best(groups);
  if (merging == Merging::free && group.size() <= kMostSubsets) {
    offer_subsets(group, best);
  } else {
    Group order = group;
    if (merging == Merging::free)
      std::stable_sort(order.begin(), order.end(),
                       [&](Category a, Category b) { return groups.cells().rate(a) < groups.cells().rate(b); });
    offer_cuts(std::move(order), best);
  }
  if (best.get().answer.log_p > log_alpha) return;
  Division division = best.get();
  if (division.left.front() > division.right.front()) std::swap(division.left, division.right);
  groups.replace(place, division.left, division.right);
}

}  // namespace tw::chaid
