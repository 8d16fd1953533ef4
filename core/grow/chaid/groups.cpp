#include "grow/chaid/groups.hpp"

#include <algorithm>  // for find_if, max, merge, min
#include <iterator>   // for back_inserter

namespace tw::chaid {
namespace {

// Whether a pair is no more alike than the best one so far, without looking at tails: nothing is more alike than no
// difference at all, and a larger statistic with fewer degrees of freedom (or more of them within the groups) has a
// smaller p.
bool is_beaten(const Answer& statistic, const Answer& best) {
  if (best.statistic == 0) return true;
  return statistic.df <= best.df && statistic.statistic >= best.statistic && statistic.df_within >= best.df_within;
}

}  // namespace

Groups::Groups(Cells& cells, Merging merging, std::size_t categories, Partition partition)
    : cells_(cells), merging_(merging), categories_(static_cast<Slot>(categories)), partition_(std::move(partition)) {
  for (std::size_t place = 0; place < size(); ++place) fill(partition_[place], slot(place));
}

void Groups::fill(const Group& group, Slot slot) const {
  cells_.clear(slot);
  for (const Category category : group) cells_.add(slot, category);
}

Slot Groups::sum_of(const Group& group, std::size_t spare) const {
  const auto slot = static_cast<Slot>(2 * categories_ + spare);
  fill(group, slot);
  return slot;
}

bool Groups::is_missing_alone(std::size_t place) const {
  return merging_ == Merging::floating && partition_[place].front() == categories_ - 1;
}

bool Groups::may_merge(std::size_t first, std::size_t second) const {
  return merging_ == Merging::free || first + 1 == second || is_missing_alone(second);
}

void Groups::find_partner(std::size_t place) {
  partners_[place].reset();
  for (std::size_t other = place + 1; other < size(); ++other) {
    if (!may_merge(place, other)) continue;
    Answer answer = cells_.pair_statistic(slot(place), slot(other));
    if (partners_[place] && is_beaten(answer, partners_[place]->answer)) continue;
    cells_.finish(answer);
    const Likeness likeness(answer);
    if (partners_[place] && !(likeness < partners_[place]->likeness)) continue;
    partners_[place] = Partner{slot(other), answer, likeness};
  }
}

void Groups::find_all_partners() {
  partners_.assign(size(), std::nullopt);
  for (std::size_t place = 0; place < size(); ++place) find_partner(place);
}

Pair Groups::most_alike() {
  if (partners_.empty()) find_all_partners();
  std::size_t best = 0;
  for (std::size_t place = 1; place + 1 < size(); ++place)
    if (partners_[place]->likeness < partners_[best]->likeness) best = place;
  const Partner& partner = *partners_[best];
  std::size_t second = best + 1;
  while (slot(second) != partner.slot) ++second;
  return {best, second, partner.answer, partner.likeness};
}

Pair Groups::most_alike_to(std::size_t place) const {
  std::optional<Pair> best;
  for (std::size_t other = 0; other < size(); ++other) {
    const std::size_t first = std::min(place, other), second = std::max(place, other);
    if (other == place || !may_merge(first, second)) continue;
    const Answer answer = cells_.compare_pair(slot(first), slot(second));
    const Likeness likeness(answer);
    if (!best || likeness < best->likeness) best = Pair{first, second, answer, likeness};
  }
  return *best;
}

Answer Groups::compare() const {
  std::vector<Slot> slots;
  for (std::size_t place = 0; place < size(); ++place) slots.push_back(slot(place));
  return cells_.compare(slots);
}

Answer Groups::compare_with_joined(const Pair& pair) const {
  const auto joined = static_cast<Slot>(2 * categories_);
  cells_.clear(joined);
  cells_.add(joined, slot(pair.first));
  cells_.add(joined, slot(pair.second));
  std::vector<Slot> slots;
  for (std::size_t place = 0; place < size(); ++place)
    if (place != pair.second) slots.push_back(place == pair.first ? joined : slot(place));
  return cells_.compare(slots);
}

void Groups::merge(const Pair& pair) {
  const Slot kept = slot(pair.first), gone = slot(pair.second);
  cells_.add(kept, gone);
  Group both;
  std::merge(partition_[pair.first].begin(), partition_[pair.first].end(), partition_[pair.second].begin(),
             partition_[pair.second].end(), std::back_inserter(both));
  partition_[pair.first] = std::move(both);
  partition_.erase(partition_.begin() + std::ptrdiff_t(pair.second));
  if (partners_.empty()) return;
  partners_.erase(partners_.begin() + std::ptrdiff_t(pair.second));
  renew_partners(pair.first, gone);
}

// Only pairs with the merged group are new; who had one of its two parts as a partner has to look again.
void Groups::renew_partners(std::size_t merged, Slot gone) {
  for (std::size_t place = 0; place + 1 < size(); ++place) {
    const std::optional<Partner>& partner = partners_[place];
    if (place == merged || !partner || partner->slot == gone || partner->slot == slot(merged)) {
      find_partner(place);
    } else if (place < merged && may_merge(place, merged)) {
      const Answer answer = cells_.compare_pair(slot(place), slot(merged));
      const Likeness likeness(answer);
      const bool tied = !(likeness < partner->likeness) && !(partner->likeness < likeness);
      if (likeness < partner->likeness || (tied && slot(merged) < partner->slot))
        partners_[place] = Partner{slot(merged), answer, likeness};
    }
  }
  partners_.back().reset();
}

void Groups::replace(std::size_t place, const Group& left, const Group& right) {
  partition_[place] = left;
  const auto after = std::find_if(partition_.begin(), partition_.end(),
                                  [&](const Group& group) { return group.front() > right.front(); });
  const auto inserted = partition_.insert(after, right);
  fill(left, slot(place));
  fill(right, slot(std::size_t(inserted - partition_.begin())));
  partners_.clear();
}

}  // namespace tw::chaid
