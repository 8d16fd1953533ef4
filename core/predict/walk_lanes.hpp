// Eight rows side by side through a tree: a step of one row waits for memory and for a comparison, so others step in
// the meantime. A row that arrives makes room for the next at once, so that nobody waits for the deepest row.
#pragma once

#include <cstdint>  // for uint32_t

#include "predict/frame.hpp"

namespace tw {

// where[i]: the place where row i starts, i < n; becomes the number of its leaf. step(node, row): the next place.
template <class Node, class Number, class Step>
void walk_lanes(const Node* nodes, const RowMatrix<Number>& rows, std::uint32_t n, std::uint32_t* where,
                const Step& step) {
  constexpr std::uint32_t kLanes = 8;
  std::uint32_t place[kLanes], of_row[kLanes], next = 0;
  const Number* row[kLanes];
  if (n >= 2 * kLanes) {
    for (; next < kLanes; ++next) place[next] = where[next], of_row[next] = next, row[next] = rows.row(next);
    while (next + kLanes <= n) {
#pragma GCC unroll 8
      for (std::uint32_t l = 0; l < kLanes; ++l) {
        const Node node = nodes[place[l]];
        if (__builtin_expect(node.is_leaf(), 0)) {
          where[of_row[l]] = node.number();
          place[l] = where[next], of_row[l] = next, row[l] = rows.row(next);
          ++next;
        } else {
          place[l] = step(node, row[l]);
        }
      }
    }
    for (std::uint32_t l = 0; l < kLanes; ++l) where[of_row[l]] = place[l];
  }
  // Those on the way when no more came to fill the lanes, and the last.
  const auto finish = [&](std::uint32_t i) {
    while (!nodes[where[i]].is_leaf()) where[i] = step(nodes[where[i]], rows.row(i));
    where[i] = nodes[where[i]].number();
  };
  if (next > 0)
    for (std::uint32_t l = 0; l < kLanes; ++l) finish(of_row[l]);
  for (; next < n; ++next) finish(next);
}

}  // namespace tw
