#include "grow/chaid/merge.hpp"

#include <algorithm>  // for min, sort, stable_sort
#include <cmath>      // for ceil
#include <numeric>    // for iota
#include <set>        // for set

#include "grow/chaid/resplit.hpp"

namespace tw::chaid {
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
