// Where rows without a value in the column of a test go while a CART tree is grown: with the side for which they were
// tried (learn), with the branch that has more weight (larger), or to one of their own (branch). Surrogates send them
// row by row: surrogate_finder.hpp.
#pragma once

#include <cstdint>  // for uint8_t

#include "grow/candidate.hpp"
#include "grow/recipe.hpp"

namespace tw {

// balance(): the weight of the known rows on the right minus that on the left; the left branch takes a tie.
template <class Balance>
std::uint8_t missing_branch(MissingPolicy policy, const Candidate& cut, Balance&& balance) {
  if (policy == MissingPolicy::branch) return 2;
  if (policy == MissingPolicy::learn) return !cut.missing_left;
  return balance() > 0;
}

// No training row was missing at the node: later ones follow the branch with more weight.
template <class Weight>
std::uint8_t branch_of_later_missing(Weight left, Weight right) {
  return right > left;
}

}  // namespace tw
