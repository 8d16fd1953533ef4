// One row through a tree that may spread it: every piece of the row is followed to where it ends.
#pragma once

#include <cstdint>  // for int32_t
#include <vector>   // for vector

#include "predict/find_leaves.hpp"
#include "predict/walk.hpp"

namespace tw {

struct Piece {
  std::int32_t node;
  double share;
};

// Puts the children of a node that a piece spreads over on the stack, the last one first.
inline void spread(const Tree& tree, const Piece& piece, std::vector<Piece>& open) {
  double total = 0;
  for (std::int32_t b = 0; b < tree.n_children[piece.node]; ++b) total += tree.weight[tree.child(piece.node, b)];
  for (std::int32_t b = tree.n_children[piece.node]; b-- > 0;) {
    const std::int32_t child = tree.child(piece.node, b);
    if (tree.weight[child] > 0) open.push_back({child, piece.share * (tree.weight[child] / total)});
  }
}

// Adds the ends of all pieces to `to`; `open` is scratch memory.
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

}  // namespace tw
