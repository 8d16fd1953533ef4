// What held-out rows with numbers lose at each node if it were a leaf, and where they end.
//
// Squared errors are merged from the leaves up as weight, mean and squares about the mean (Chan, Golub and LeVeque
// 1983), so a tree of any depth costs one pass and nothing cancels. Other losses have no such summary: there every row
// visits the nodes above it.
#pragma once

#include <cstdint>  // for int32_t
#include <span>     // for span
#include <string>   // for string
#include <vector>   // for vector

#include "tree/tree.hpp"

namespace tw {

struct HeldOutRows {
  std::span<const std::int32_t> nodes;  // where each row ends
  std::span<const double> truth, weights;
};

struct HeldOutLosses {
  std::vector<double> as_leaf, ends;  // of all rows that come to a node; of those that end there
};

HeldOutLosses held_out_losses(const Tree& tree, const HeldOutRows& rows, const std::string& kind);

}  // namespace tw
