#include <algorithm>  // for min

#include "predict/find_leaves.hpp"
#include "predict/walk.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowsPerTask = 2048;

struct Piece {
  std::int32_t node;
  double share;
};

// Puts the children of a node that a piece spreads over on the stack, the last one first.
void spread(const Tree& tree, const Piece& piece, std::vector<Piece>& open) {
  double total = 0;
  for (std::int32_t b = 0; b < tree.n_children[piece.node]; ++b) total += tree.weight[tree.child(piece.node, b)];
  for (std::int32_t b = tree.n_children[piece.node]; b-- > 0;) {
    const std::int32_t child = tree.child(piece.node, b);
    if (tree.weight[child] > 0) open.push_back({child, piece.share * (tree.weight[child] / total)});
  }
}

template <class ValueOf>
void follow(const Tree& tree, ValueOf&& value_of, std::vector<Piece>& open, LeafShares& to) {
  open.assign(1, {0, 1.0});
  while (!open.empty()) {
    Piece piece = open.back();
    open.pop_back();
    for (;;) {
      const std::int32_t branch =
          tree.n_children[piece.node] == 0 ? kMissingStops : branch_of_row(tree, piece.node, value_of);
      if (branch >= 0) {
        piece.node = tree.child(piece.node, branch);
        continue;
      }
      const std::size_t before = open.size();
      if (branch == kMissingSpreads) spread(tree, piece, open);
      if (open.size() == before) to.node.push_back(piece.node), to.share.push_back(piece.share);
      break;
    }
  }
}

}  // namespace

LeafShares find_leaf_shares(const Tree& tree, const Frame& frame, Workers& workers) {
  const std::size_t n_tasks = (frame.n_rows + kRowsPerTask - 1) / kRowsPerTask;
  std::vector<LeafShares> parts(n_tasks);
  workers.run(n_tasks, [&](std::size_t task, int) {
    std::vector<Piece> open;
    LeafShares& part = parts[task];
    for (std::size_t row = task * kRowsPerTask, end = std::min(frame.n_rows, row + kRowsPerTask); row < end; ++row) {
      follow(tree, [&](std::int32_t column) { return frame.columns[column].at(row); }, open, part);
      part.start.push_back(static_cast<std::int64_t>(part.node.size()));
    }
  });
  LeafShares all;
  all.start.push_back(0);
  for (const LeafShares& part : parts) {
    const auto offset = static_cast<std::int64_t>(all.node.size());
    for (const std::int64_t end : part.start) all.start.push_back(offset + end);
    all.node.insert(all.node.end(), part.node.begin(), part.node.end());
    all.share.insert(all.share.end(), part.share.begin(), part.share.end());
  }
  return all;
}

}  // namespace tw
