#include "grow/tables/chaid/merge_categories.hpp"

#include <algorithm>  // for find_if, max, merge, min, sort, stable_sort
#include <cmath>      // for ceil
#include <iterator>   // for back_inserter
#include <numeric>    // for iota
#include <set>        // for set
#include <utility>    // for move, swap

namespace tw::chaid {

namespace {

constexpr std::size_t kPairsBetweenChecks = 16;

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
    if (other % kPairsBetweenChecks == 0) cells_.checkpoint();
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
    if (other % kPairsBetweenChecks == 0) cells_.checkpoint();
    if (other == place || !may_merge(first, second)) continue;
    const Answer answer = cells_.compare_pair(slot(first), slot(second));
    const Likeness likeness(answer);
    if (!best || likeness < best->likeness) best = Pair{first, second, answer, likeness};
  }
  return *best;
}

Answer Groups::compare() const {
  cells_.checkpoint();
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
    if (++n_offered_ % kPairsBetweenChecks == 0) groups_.cells().checkpoint();
    const Answer answer = groups_.cells().compare_pair(groups_.sum_of(left, 0), groups_.sum_of(right, 1));
    if (best_.left.empty() || Likeness(best_.answer) < Likeness(answer))
      best_ = {std::move(left), std::move(right), answer};
  }
  const Division& get() const { return best_; }

 private:
  const Groups& groups_;
  Division best_;
  std::size_t n_offered_ = 0;
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

namespace {

Partition one_by_one(std::size_t categories) {
  Partition partition;
  for (Category category = 0; category < categories; ++category) partition.push_back({category});
  return partition;
}

// Merges the most alike pair while it does not differ significantly and more than two groups are left.
void merge_alike(Groups& groups, Merging merging, const MergeRules& rules) {
  std::set<Partition> seen;
  if (rules.log_alpha_resplit) seen.insert(groups.partition());
  while (groups.size() > 2) {
    groups.cells().checkpoint();
    const Pair pair = groups.most_alike();
    if (pair.answer.log_p <= rules.log_alpha_merge) return;
    groups.merge(pair);
    if (!rules.log_alpha_resplit) continue;
    resplit(groups, pair.first, merging, *rules.log_alpha_resplit);
    if (!seen.insert(groups.partition()).second) return;  // merging and dividing again would go round for ever
  }
}

// Merges down to two groups whatever the p-values; gives the stage whose whole table has the smallest p.
Partition exhaust(Groups& groups) {
  Partition best = groups.partition();
  double best_rank = rank_of(groups.compare().log_p);
  while (groups.size() > 2) {
    groups.merge(groups.most_alike());
    const double rank = rank_of(groups.compare().log_p);
    if (rank > best_rank) best = groups.partition(), best_rank = rank;
  }
  return best;
}

// Runs of about equal weight along the order of the categories' rates, as numbers are binned.
Partition runs_by_rate(const Cells& cells, std::size_t categories, std::size_t runs) {
  std::vector<Category> order(categories);
  std::iota(order.begin(), order.end(), Category{0});
  std::vector<double> rate;
  double total = 0, below = 0;
  for (const Category category : order) rate.push_back(cells.rate(category)), total += cells.weight(category);
  std::stable_sort(order.begin(), order.end(), [&](Category a, Category b) { return rate[a] < rate[b]; });
  Partition partition;
  double last = 0;
  for (const Category category : order) {
    below += cells.weight(category);
    const double run = std::ceil(double(runs) * below / total - 1e-9);
    if (run != last) partition.emplace_back();
    partition.back().push_back(category), last = run;
  }
  for (Group& group : partition) std::sort(group.begin(), group.end());
  std::sort(partition.begin(), partition.end());
  return partition;
}

Partition merge_known(Cells& cells, Merging merging, std::size_t categories, const MergeRules& rules) {
  const bool floating = merging == Merging::floating;
  const bool wide = merging == Merging::free && categories > rules.most_levels;
  Groups groups(
      cells, floating ? Merging::monotonic : merging, categories,
      wide ? runs_by_rate(cells, categories, rules.most_levels) : one_by_one(floating ? categories - 1 : categories));
  if (rules.exhaustive) return exhaust(groups);
  merge_alike(groups, merging, rules);
  return groups.partition();
}

// Missing stays alone or joins the group most like it: whichever gives the whole table the smaller p.
void place_missing(Groups& groups) {
  const Pair pair = groups.most_alike_to(groups.size() - 1);
  if (rank_of(groups.compare_with_joined(pair).log_p) > rank_of(groups.compare().log_p)) groups.merge(pair);
}

// The smallest first; of equals the first.
void join_small(Groups& groups, double smallest) {
  while (groups.size() > 1) {
    std::size_t small = 0;
    for (std::size_t place = 1; place < groups.size(); ++place)
      if (groups.weight(place) < groups.weight(small)) small = place;
    if (!(groups.weight(small) < smallest)) return;
    groups.merge(groups.most_alike_to(small));
  }
}

Merged judge(const Groups& groups, Merging merging, std::size_t categories, const MergeRules& rules) {
  Merged merged{groups.partition(), {}, 0};
  if (groups.size() < 2) return merged;
  merged.answer = groups.compare();
  double log_multiplier = 0;
  if (rules.bonferroni && rules.exhaustive) log_multiplier = log_pairs_tested(merging, categories, rules.as_spss);
  if (rules.bonferroni && !rules.exhaustive) log_multiplier = log_partitions(merging, categories, groups.size());
  merged.log_p_adjusted = std::min(0.0, merged.answer.log_p + log_multiplier);
  return merged;
}

}  // namespace

Merged merge_categories(Cells& cells, Merging merging, std::size_t categories, const MergeRules& rules) {
  Partition partition = merge_known(cells, merging, categories, rules);
  if (merging == Merging::floating) partition.push_back({static_cast<Category>(categories - 1)});
  Groups groups(cells, merging, categories, std::move(partition));
  if (merging == Merging::floating) place_missing(groups);
  join_small(groups, rules.min_segment);
  return judge(groups, merging, categories, rules);
}

Merged join_small_groups(Cells& cells, Merging merging, std::size_t categories, const Partition& partition,
                         double smallest, const MergeRules& rules) {
  Groups groups(cells, merging, categories, partition);
  join_small(groups, smallest);
  return judge(groups, merging, categories, rules);
}

}  // namespace tw::chaid
