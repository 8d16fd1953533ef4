// Which training rows share a leaf with new rows: neighbours, and the weights of a quantile forest.
//
// Nodes are given as rows × trees: the number of the node in which each row ends in each tree.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t, int64_t
#include <vector>   // for vector

#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"

namespace tw {

struct NodesOfRows {
  const std::int32_t* nodes = nullptr;
  std::size_t n_rows = 0, n_trees = 0;
  std::int32_t at(std::size_t row, std::size_t tree) const { return nodes[row * n_trees + tree]; }
};

// The rows of every leaf of every tree.
class LeafRows {
 public:
  LeafRows(const NodesOfRows& training, Workers& workers);

  // Calls f(row) for the training rows in that leaf, ascending.
  template <class F>
  void for_each(std::size_t tree, std::int32_t node, F f) const {
    const auto& start = start_[tree];
    if (node < 0 || static_cast<std::size_t>(node) + 1 >= start.size()) return;
    for (std::uint32_t i = start[node]; i < start[node + 1]; ++i) f(rows_[tree][i]);
  }
  std::size_t n_rows() const { return n_rows_; }

 private:
  std::size_t n_rows_;
  std::vector<std::vector<std::uint32_t>> start_, rows_;
};

// The k training rows that share most leaves with each row, most first, ties by row: row and number of trees; a row
// that has fewer neighbours is filled up with −1 and 0.
void nearest_rows(const LeafRows& leaves, const NodesOfRows& rows, std::size_t k, Workers& workers,
                  std::int32_t* nearest, std::int32_t* n_shared);

// The quantiles of y for each row: training rows weigh as much as they have of the leaves that the row ends in, on the
// mean over the trees (Meinshausen 2006). A quantile is the smallest y up to which that share of the weight lies.
void leaf_quantiles(const LeafRows& leaves, const NodesOfRows& rows, const std::vector<double>& y,
                    const std::vector<double>& weights, const std::vector<double>& shares, Workers& workers,
                    double* quantiles);

// Best-first growth of a tree of a forest, as a choice among the nodes of the whole tree made afterwards.

// Cuts the tree back to the leaves that best-first growth would have, if it has more than that.
void keep_leaves(SmallTree& tree, std::int64_t max_leaves, std::int32_t n_columns, std::int32_t n_classes);

}  // namespace tw
