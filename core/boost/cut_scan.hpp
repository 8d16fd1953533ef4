// Scores of cuts. The score of a cut is G²/(H + l2) of its two sides, added; the gain is half of what it has more than
// the undivided node. Everything is in units of the fixed point.
//
// Most cuts are worse than the best one found so far, and to see that takes no division: with a = G_l²·(H_r + l2) +
// G_r²·(H_l + l2) and b = (H_l + l2)·(H_r + l2) the score is a/b, and a ≤ bar·b says enough.
#pragma once

#include <cstdint>  // for int32_t, int64_t, uint32_t

#include "boost/words.hpp"

namespace tw {

// Running sums of some bins or levels in the order in which they are cut; cut i divides 0 … i from the rest.
template <class Part>
struct RunningSums {
  const Part* gradient = nullptr;
  const Part* hessian = nullptr;
  std::uint32_t n_cuts = 0;

  GradientSum at(std::uint32_t cut) const { return {gradient[cut], hessian[cut]}; }
};

struct NodeSides {
  GradientSum whole;       // of the node
  GradientSum base;        // what stands on the left before the first bin: rows without a value, or nothing
  double l2 = 0;           // in units of the hessian
  double least = 1;        // hessian that a side must have, in units

  double score_of(const GradientSum& side) const {
    const double g = static_cast<double>(side.gradient);
    return g * g / (static_cast<double>(side.hessian) + l2);
  }
  double score(const GradientSum& left) const { return score_of(left) + score_of(whole - left); }
};

// The first cut from `from` on that may score more than bar; n_cuts where none does.
std::uint32_t next_above(const RunningSums<std::int32_t>& sums, const NodeSides& node, std::uint32_t from, double bar);
std::uint32_t next_above(const RunningSums<std::int64_t>& sums, const NodeSides& node, std::uint32_t from, double bar);

}  // namespace tw
