// Eight rows side by side through a tree: a step of one row waits for memory and for a comparison, so others step in
// the meantime. A row that arrives makes room for the next at once, so that nobody waits for the deepest row.
#pragma once

#include <cstdint>  // for uint32_t

#include "predict/flat_tree.hpp"
#include "predict/row_matrix.hpp"

namespace tw {

// done(i, number of the leaf) for the rows i = 0 … n − 1 in some order. entry(i): the place where row i starts;
// step(node, row): where it goes from there.
template <class Node, class Number, class Entry, class Step, class Done>
inline void walk_lanes(const Node* nodes, const RowMatrix<Number>& rows, std::uint32_t n, const Entry& entry,
                       const Step& step, const Done& done) {
  constexpr std::uint32_t kLanes = 8;
  std::uint32_t next = 0;
  std::uint32_t place[kLanes], of_row[kLanes];
  const Number* row[kLanes];
  if (n >= 2 * kLanes) {
    for (; next < kLanes; ++next) place[next] = entry(next), of_row[next] = next, row[next] = rows.row(next);
    while (next + kLanes <= n) {
#pragma GCC unroll 8
      for (std::uint32_t l = 0; l < kLanes; ++l) {
        const Node node = nodes[place[l]];
        if (__builtin_expect(node.is_leaf(), 0)) {
          done(of_row[l], node.number());
          place[l] = entry(next), of_row[l] = next, row[l] = rows.row(next);
          ++next;
        } else {
          place[l] = step(node, row[l]);
        }
      }
    }
  }
  const auto finish = [&](std::uint32_t i, std::uint32_t at) {
    while (!nodes[at].is_leaf()) at = step(nodes[at], rows.row(i));
    done(i, nodes[at].number());
  };
  if (next > 0)
    for (std::uint32_t l = 0; l < kLanes; ++l) finish(of_row[l], place[l]);
  for (; next < n; ++next) finish(next, entry(next));
}

}  // namespace tw
