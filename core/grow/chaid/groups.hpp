// Groups: the categories of one column at one node, merged so far, and which pair of groups is most alike.
#pragma once

#include <optional>  // for optional
#include <vector>    // for vector

#include "grow/chaid/cells.hpp"
#include "grow/chaid/multiplier.hpp"

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

}  // namespace tw::chaid
