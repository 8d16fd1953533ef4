// Groups: the categories of one column at one node, merged so far, and which pair of groups is most alike.
#pragma once

#include <optional>  // for optional
#include <vector>    // for vector

#include "grow/tables/chaid/bonferroni.hpp"
#include "grow/tables/chaid/cells.hpp"

namespace tw::chaid {

using Category = std::uint32_t;        // 0, 1, … in the order of the column; missing, where it occurs, is the last
using Group = std::vector<Category>;   // ascending
using Partition = std::vector<Group>;  // in the order of their first categories

// Two groups, by their places in the partition, and how they compare.
struct Pair {
  std::size_t first, second;
  Answer answer;
  Likeness likeness;
};

class Groups {
 public:
  // cells: slots 0 to categories − 1 are filled; as many again and kSpareSlots are room for sums.
  static constexpr std::size_t kSpareSlots = 2;
  Groups(Cells& cells, Merging merging, std::size_t categories, Partition partition);

  std::size_t size() const { return partition_.size(); }
  const Partition& partition() const { return partition_; }
  const Cells& cells() const { return cells_; }
  double weight(std::size_t place) const { return cells_.weight(slot(place)); }

  // The pair with the largest p among those that may merge; of equals the smaller statistic, then the first pair.
  Pair most_alike();
  // The same among the pairs that one group is part of.
  Pair most_alike_to(std::size_t place) const;

  Answer compare() const;
  Answer compare_with_joined(const Pair& pair) const;  // as if the pair were one group
  void merge(const Pair& pair);
  void replace(std::size_t place, const Group& left, const Group& right);

  // The sum of some categories, in a spare slot.
  Slot sum_of(const Group& group, std::size_t spare) const;

 private:
  struct Partner {
    Slot slot;
    Answer answer;
    Likeness likeness;
  };

  Slot slot(std::size_t place) const { return categories_ + partition_[place].front(); }
  bool is_missing_alone(std::size_t place) const;
  bool may_merge(std::size_t first, std::size_t second) const;
  void find_partner(std::size_t place);
  void find_all_partners();
  void renew_partners(std::size_t merged, Slot gone);
  void fill(const Group& group, Slot slot) const;

  Cells& cells_;
  Merging merging_;
  Slot categories_;
  Partition partition_;
  std::vector<std::optional<Partner>> partners_;  // of each group: the most alike of those after it
};

// Dividing a merged group again, where the best division in two is significant after all.

// A nominal group of more categories than this is put in the order of their rates, not divided in every way.
constexpr std::size_t kMostSubsets = 12;

void resplit(Groups& groups, std::size_t place, Merging merging, double log_alpha);

// CHAID's merge step: which categories of one column become one branch, and how significant the branches are
// (Kass 1980; exhaustive: Biggs, de Ville and Suen 1991).

struct MergeRules {
  double log_alpha_merge = 0;
  std::optional<double> log_alpha_resplit;
  bool exhaustive = false, as_spss = false, bonferroni = true;
  double min_segment = 0;
  // A nominal column with more categories is first put into so many runs of about equal weight along the order of their
  // rates: comparing every pair of thousands of levels would take hours and tell nothing more.
  std::size_t most_levels = 500;
};

struct Merged {
  Partition partition;
  Answer answer;
  double log_p_adjusted = 0;
};

// cells: as Groups asks. categories: at least 2, missing counted.
Merged merge_categories(Cells& cells, Merging merging, std::size_t categories, const MergeRules& rules);

// The partition after groups below a size have joined the group most like them, tested anew.
Merged join_small_groups(Cells& cells, Merging merging, std::size_t categories, const Partition& partition,
                         double smallest, const MergeRules& rules);

}  // namespace tw::chaid
