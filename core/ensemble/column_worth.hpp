// How much each column matters to the trees of an ensemble.
#pragma once

#include <vector>  // for vector

#include "ensemble/ensemble.hpp"

namespace tw {

// The gains of the splits of each column times the share of the weight that they see. each_tree_counts_same: the sums
// of every tree are brought to 1 first, as in a forest; else they are added as they are, as in boosting.
std::vector<double> column_worth(const Ensemble& ensemble, bool each_tree_counts_same);

}  // namespace tw
