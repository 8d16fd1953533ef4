// The cost of the best pruning of a subtree, as a function of the price alpha of a leaf, is concave and piecewise
// linear: its slope is the number of leaves that are worth keeping. At a node,
//     cost(alpha) = min( risk as a leaf + alpha , Σ cost of the branches (alpha) ),
// and the two sides cross exactly once: that alpha is the node's complexity. The breakpoints of a subtree are kept in
// a meldable heap, largest on top, so a node pays only for the breakpoints that its own cut makes meaningless:
// O(n log n) for any shape of tree, chains included.
#include "prune/cost_complexity.hpp"

#include <algorithm>  // for reverse, swap
#include <cmath>      // for max

namespace tw {
namespace {

constexpr double kSame = 1e-10;

// Left of `alpha` the line of the subtree's cost is higher by `risk` and steeper by `leaves` than right of it.
struct Break {
  double alpha = 0, risk = 0;
  std::int64_t leaves = 0;
  std::int32_t left = -1, right = -1, rank = 1;  // leftist heap
};

class Breaks {
 public:
  explicit Breaks(std::size_t n) { pool_.reserve(n); }
  const Break& top(std::int32_t heap) const { return pool_[heap]; }
  std::int32_t single(const Break& b) {
    pool_.push_back(b);
    return static_cast<std::int32_t>(pool_.size()) - 1;
  }
  std::int32_t pop(std::int32_t heap) { return meld(pool_[heap].left, pool_[heap].right); }

  // Walks down the right spines (O(log n) long), then mends ranks on the way back up.
  std::int32_t meld(std::int32_t x, std::int32_t y) {
    std::vector<std::int32_t> spine;
    while (x >= 0 && y >= 0) {
      if (pool_[x].alpha < pool_[y].alpha) std::swap(x, y);
      spine.push_back(x);
      x = pool_[x].right;
    }
    std::int32_t below = x >= 0 ? x : y;
    for (std::size_t i = spine.size(); i-- > 0;) {
      Break& b = pool_[spine[i]];
      b.right = below;
      if (rank(b.left) < rank(b.right)) std::swap(b.left, b.right);
      b.rank = rank(b.right) + 1;
      below = spine[i];
    }
    return below;
  }

 private:
  std::int32_t rank(std::int32_t heap) const { return heap < 0 ? 0 : pool_[heap].rank; }
  std::vector<Break> pool_;
};

struct Result {
  std::vector<double> complexity;
  std::vector<Break> path;  // breakpoints of the whole tree, descending
};

Result find_breaks(const Tree& tree, const std::vector<double>& risk) {
  const std::size_t n = tree.size();
  Breaks breaks(n);
  std::vector<std::int32_t> heap(n, -1);
  Result result{std::vector<double>(n, 0), {}};
  for (std::size_t i = n; i-- > 0;) {
    if (tree.n_children[i] == 0) continue;
    double base = 0;  // the branches' cost right of every breakpoint: each is a leaf there
    std::int64_t leaves = tree.n_children[i];
    std::int32_t all = -1;
    for (std::int32_t b = 0; b < tree.n_children[i]; ++b) {
      base += risk[tree.child(i, b)];
      all = breaks.meld(all, heap[tree.child(i, b)]);
    }
    double alpha = leaves > 1 ? (risk[i] - base) / double(leaves - 1) : 0;
    while (all >= 0 && breaks.top(all).alpha >= alpha) {
      base += breaks.top(all).risk, leaves += breaks.top(all).leaves;
      all = breaks.pop(all);
      alpha = (risk[i] - base) / double(leaves - 1);
    }
    result.complexity[i] = std::max(alpha, 0.0);
    Break own;
    own.alpha = result.complexity[i], own.risk = base - risk[i], own.leaves = leaves - 1;
    heap[i] = breaks.meld(all, breaks.single(own));
  }
  for (std::int32_t all = heap[0]; all >= 0; all = breaks.pop(all)) result.path.push_back(breaks.top(all));
  return result;
}

}  // namespace

std::vector<double> node_complexity(const Tree& tree, const std::vector<double>& risk) {
  std::vector<double> complexity = find_breaks(tree, risk).complexity;
  for (std::size_t i = 1; i < tree.size(); ++i)  // a node that goes with its parent is never worth more than it
    complexity[i] = std::min(complexity[i], complexity[tree.parent[i]]);
  return complexity;
}

PrunePath prune_path(const Tree& tree, const std::vector<double>& risk) {
  const Result result = find_breaks(tree, risk);
  PrunePath path;
  double cost = risk[0];
  std::int64_t leaves = 1;
  for (std::size_t i = 0; i < result.path.size(); ++i) {  // from the root alone to the full tree
    const Break& b = result.path[i];
    if (i == 0 || b.alpha < result.path[i - 1].alpha * (1 - kSame)) {  // equal but for rounding: one step
      path.alphas.push_back(b.alpha), path.risks.push_back(cost), path.leaves.push_back(leaves);
    }
    cost += b.risk, leaves += b.leaves;
  }
  if (path.alphas.empty() || path.alphas.back() > kSame * risk[0])
    path.alphas.push_back(0), path.risks.push_back(cost), path.leaves.push_back(leaves);
  std::reverse(path.alphas.begin(), path.alphas.end());
  std::reverse(path.risks.begin(), path.risks.end());
  std::reverse(path.leaves.begin(), path.leaves.end());
  return path;
}

}  // namespace tw
