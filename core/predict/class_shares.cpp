#include "predict/class_shares.hpp"

#include <algorithm>  // for min
#include <vector>     // for vector

#include "predict/find_leaves.hpp"

namespace tw {

namespace {

constexpr std::uint32_t kOneClass = 0x80000000u;

// What the nodes say, in one word each where they can: most leaves of a large tree have one class only.
struct NodeShares {
  std::vector<std::uint32_t> said;  // kOneClass | the class; or the node whose list of shares it is
  std::vector<double> share;        // as Tree::count_weight

  explicit NodeShares(const Tree& tree) : said(tree.size()), share(tree.count_weight.size()) {
    for (std::size_t i = 0; i < tree.size(); ++i) add(tree, i);
  }

  void add(const Tree& tree, std::size_t i) {
    double sum = 0;
    std::size_t present = 0, last = 0;
    const auto begin = static_cast<std::size_t>(tree.count_start[i]),
               end = static_cast<std::size_t>(tree.count_start[i + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      sum += tree.count_weight[k];
      if (tree.count_weight[k] != 0) ++present, last = k;
    }
    for (std::size_t k = begin; k < end; ++k) share[k] = sum > 0 ? tree.count_weight[k] / sum : 0;
    if (sum > 0 && present == 1)
      said[i] = kOneClass | tree.count_class[last];
    else  // a node that no training row reached answers as its parent
      said[i] = sum > 0 || i == 0 ? static_cast<std::uint32_t>(i) : said[tree.parent[i]];
  }
};

}  // namespace

void class_shares(const Tree& tree, std::span<const std::int32_t> nodes, double* shares, Workers& workers) {
  constexpr std::size_t kRowsPerTask = 8192;
  const NodeShares of_nodes(tree);
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  workers.run((nodes.size() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, int) {
    for (std::size_t row = task * kRowsPerTask, end = std::min(nodes.size(), row + kRowsPerTask); row < end; ++row) {
      const std::uint32_t said = of_nodes.said[nodes[row]];
      double* to = shares + row * n_classes;
      if (said & kOneClass) {
        to[said & ~kOneClass] = 1;
        continue;
      }
      for (auto k = tree.count_start[said]; k < tree.count_start[said + 1]; ++k)
        to[tree.count_class[k]] = of_nodes.share[k];
    }
  });
}

namespace {

constexpr std::size_t kChunk = 1024;

template <class ValueOfRow>
void in_chunks(std::size_t n_rows, double* to, Workers& workers, ValueOfRow value_of_row) {
  workers.run((n_rows + kChunk - 1) / kChunk, [&](std::size_t chunk, int) {
    for (std::size_t row = chunk * kChunk; row < std::min(n_rows, (chunk + 1) * kChunk); ++row)
      to[row] = value_of_row(row);
  });
}

}  // namespace

void equation_values(const Tree& tree, const Frame& frame, double* value_of_row, Workers& workers) {
  const Equations equations(tree);
  const auto at_node = [&](std::size_t row, std::int32_t node) {
    return equations.value(static_cast<std::size_t>(node),
                           [&](std::int32_t column) { return frame.columns[column].at(row); });
  };
  if (!tree.spreads()) {
    std::vector<std::int32_t> leaves(frame.n_rows);
    find_leaves(tree, frame, leaves.data(), workers);
    return in_chunks(frame.n_rows, value_of_row, workers, [&](std::size_t row) { return at_node(row, leaves[row]); });
  }
  const LeafShares found = find_leaf_shares(tree, frame, workers);
  in_chunks(frame.n_rows, value_of_row, workers, [&](std::size_t row) {
    double sum = 0;
    for (auto k = found.start[row]; k < found.start[row + 1]; ++k) sum += found.share[k] * at_node(row, found.node[k]);
    return sum;
  });
}

}  // namespace tw
