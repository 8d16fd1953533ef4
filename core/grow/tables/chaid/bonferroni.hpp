// Bonferroni's multipliers: in how many ways could the categories of a column have become so many groups?
#pragma once

#include <cstddef>  // for size_t

namespace tw::chaid {

// Which categories may merge: neighbours, any pair, or neighbours and the missing category with any group.
enum class Merging { monotonic, free, floating };

// Natural logarithms. `categories` counts the missing category too; 2 <= groups <= categories.
double log_partitions(Merging merging, std::size_t categories, std::size_t groups);

// Exhaustive CHAID: how many pairs it tests. IBM's document prints three times that for nominal columns.
double log_pairs_tested(Merging merging, std::size_t categories, bool as_spss);

}  // namespace tw::chaid
