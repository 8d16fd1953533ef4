#include "predict/find_leaves.hpp"

#include <algorithm>  // for fill, min

#include "predict/flat_tree.hpp"
#include "predict/frame.hpp"
#include "predict/walk.hpp"
#include "predict/walk_lanes.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowsPerTask = 8192;
constexpr std::size_t kWorthFlattening = 256;  // rows

template <class Walk>
void in_tasks(std::size_t n_rows, Workers& workers, Walk walk) {
  workers.run((n_rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, int) {
    const std::size_t begin = task * kRowsPerTask;
    walk(begin, std::min(n_rows, begin + kRowsPerTask));
  });
}

// Two branches a node, thresholds only, and every row goes on.
bool is_plain(const Tree& tree) {
  if (!tree.surrogates.empty()) return false;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.n_children[i] == 0) continue;
    if (tree.kind[i] != static_cast<std::uint8_t>(TestKind::threshold) || tree.n_children[i] != 2 ||
        tree.missing_branch[i] < 0)
      return false;
  }
  return true;
}

// The numbers of the leaves are those of the stored nodes.
template <class Node>
std::vector<Node> flat_nodes(const Tree& tree) {
  std::vector<Node> nodes(tree.size() + 1);
  FlatLayout<Node> layout(nodes.data());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.n_children[i] == 0)
      layout.leaf(static_cast<std::uint32_t>(i));
    else
      layout.inner(static_cast<std::uint32_t>(tree.column[i]), tree.threshold[i], tree.missing_branch[i] == 1);
  }
  return nodes;
}

template <class Node, class Number>
void walk_matrix(const Tree& tree, const RowMatrix<Number>& rows, std::size_t n_rows, std::int32_t* leaf_of,
                 Workers& workers) {
  const std::vector<Node> nodes = flat_nodes<Node>(tree);
  in_tasks(n_rows, workers, [&](std::size_t begin, std::size_t end) {
    const auto step = [](const Node& node, const Number* row) { return next_place(node, row); };
    std::fill(leaf_of + begin, leaf_of + end, 0);  // the root
    walk_lanes(nodes.data(), rows.from(begin), static_cast<std::uint32_t>(end - begin),
               reinterpret_cast<std::uint32_t*>(leaf_of + begin), step);
  });
}

}  // namespace

void find_leaves(const Tree& tree, const Frame& frame, std::int32_t* leaf_of, Workers& workers) {
  const bool flat = frame.n_rows >= kWorthFlattening && is_plain(tree);
  const auto floats = flat ? matrix_of<float>(frame) : RowMatrix<float>{};
  const auto doubles = flat ? matrix_of<double>(frame) : RowMatrix<double>{};
  if (floats.first && fits<ShortNode>(tree.size(), frame.columns.size()))
    return walk_matrix<ShortNode>(tree, floats, frame.n_rows, leaf_of, workers);
  if (floats.first) return walk_matrix<LongNode>(tree, floats, frame.n_rows, leaf_of, workers);
  if (doubles.first) return walk_matrix<LongNode>(tree, doubles, frame.n_rows, leaf_of, workers);
  in_tasks(frame.n_rows, workers, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      leaf_of[row] = find_leaf(tree, [&](std::int32_t column) { return frame.columns[column].at(row); });
  });
}

}  // namespace tw
