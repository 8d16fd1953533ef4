// CHAID's merge step: which categories of one column become one branch, and how significant the branches are
// (Kass 1980; exhaustive: Biggs, de Ville and Suen 1991).
#pragma once

#include <optional>  // for optional

#include "grow/chaid/groups.hpp"

namespace tw::chaid {

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
