// What one row loses at one answer.
#pragma once

#include <algorithm>  // for max, lower_bound
#include <cmath>      // for abs, log
#include <cstdint>    // for int32_t
#include <span>       // for span
#include <string>     // for string
#include <vector>     // for vector

#include "tree/tree.hpp"

namespace tw {

inline double loss_of(const std::string& kind, double truth, double answer) {
  if (kind == "classes") return truth != answer;
  if (kind == "absolute_error") return std::abs(truth - answer);
  if (kind == "poisson") {
    const double rate = std::max(answer, 1e-12);
    return (truth > 0 ? truth * std::log(truth / rate) : 0) - truth + rate;
  }
  return (truth - answer) * (truth - answer);
}

// The losses of held-out rows for many prices of a leaf at once: a row's answer at a price is that of the highest node
// on its path whose complexity is at most the price, so each row costs its depth, not the number of prices.

struct PathLoss {
  std::vector<double> sum, squares;  // of the losses, one for each price
};

// loss(row number i, node) is the loss of the i-th row if that node answered; it counts as often as its weight says.
// prices ascend; complexity never grows from a node to its children.
template <class Loss>
PathLoss path_loss(const Tree& tree, std::span<const double> complexity, std::span<const double> prices,
                   std::span<const std::int32_t> leaf_of, std::span<const double> weights, Loss loss) {
  const std::size_t m = prices.size();
  std::vector<double> sum(m + 1, 0), squares(m + 1, 0);
  for (std::size_t i = 0; i < leaf_of.size(); ++i) {
    std::size_t first = 0;  // the first price at which the node answers
    for (std::int32_t node = leaf_of[i]; node >= 0 && first < m; node = tree.parent[node]) {
      const std::int32_t up = tree.parent[node];
      std::size_t last = m;
      if (up >= 0) last = std::lower_bound(prices.begin() + first, prices.end(), complexity[up]) - prices.begin();
      if (last == first) continue;
      const double value = loss(i, node), weighted = weights[i] * value;
      sum[first] += weighted, sum[last] -= weighted;
      squares[first] += weighted * value, squares[last] -= weighted * value;
      first = last;
    }
  }
  PathLoss result;
  double running = 0, running_squares = 0;
  for (std::size_t j = 0; j < m; ++j) {
    running += sum[j], running_squares += squares[j];
    result.sum.push_back(running), result.squares.push_back(running_squares);
  }
  return result;
}

// What held-out rows with numbers lose at each node if it were a leaf, and where they end.
//
// Squared errors are merged from the leaves up as weight, mean and squares about the mean (Chan, Golub and LeVeque
// 1983), so a tree of any depth costs one pass and nothing cancels. Other losses have no such summary: there every row
// visits the nodes above it.

struct HeldOutRows {
  std::span<const std::int32_t> nodes;  // where each row ends
  std::span<const double> truth, weights;
};

struct HeldOutLosses {
  std::vector<double> as_leaf, ends;  // of all rows that come to a node; of those that end there
};

HeldOutLosses held_out_losses(const Tree& tree, const HeldOutRows& rows, const std::string& kind);

}  // namespace tw
