// The losses of held-out rows for many prices of a leaf at once: a row's answer at a price is that of the highest node
// on its path whose complexity is at most the price, so each row costs its depth, not the number of prices.
#pragma once

#include <algorithm>  // for lower_bound
#include <cstdint>    // for int32_t
#include <span>       // for span
#include <vector>     // for vector

#include "tree/tree.hpp"

namespace tw {

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

}  // namespace tw
