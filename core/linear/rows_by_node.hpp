// RowsByNode: the rows of every node as a slice of one array. Rows are put in the order of their leaves; since nodes
// are numbered in preorder, the leaves below a node, and so its rows, lie side by side.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "predict/walk.hpp"
#include "table/column.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

class RowsByNode {
 public:
  RowsByNode(const Tree& tree, const Table& table, const Target& target, Workers& workers) : end_(ends_of(tree)) {
    const std::size_t n = target.rows.size();
    std::vector<std::int32_t> leaf(n);
    constexpr std::size_t kChunk = 4096;
    workers.run((n + kChunk - 1) / kChunk, [&](std::size_t chunk, int) {
      for (std::size_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i)
        leaf[i] = find_leaf(tree, [&](std::int32_t c) { return table.columns[c].value(target.rows[i]); });
    });
    start_.assign(tree.size() + 1, 0);
    for (auto node : leaf) ++start_[node + 1];
    for (std::size_t node = 0; node < tree.size(); ++node) start_[node + 1] += start_[node];
    rows_.resize(n);
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t i = 0; i < n; ++i) rows_[next[leaf[i]]++] = target.rows[i];
  }

  std::span<const std::uint32_t> operator[](std::size_t node) const {
    return std::span(rows_).subspan(start_[node], start_[end_[node]] - start_[node]);
  }
  // The first node after the subtree of a node.
  std::size_t end(std::size_t node) const { return end_[node]; }

 private:
  static std::vector<std::size_t> ends_of(const Tree& tree) {
    std::vector<std::size_t> end(tree.size());
    for (std::size_t node = tree.size(); node-- > 0;)
      end[node] = tree.n_children[node] == 0 ? node + 1 : end[tree.child(node, tree.n_children[node] - 1)];
    return end;
  }

  std::vector<std::size_t> end_, start_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace tw
