// What follows from `test` alone: kinds of tests, and where the second child of every inner node is.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint8_t
#include <string>   // for to_string
#include <vector>   // for vector

#include "base/error.hpp"
#include "ensemble/small_tree.hpp"
#include "tree/tree.hpp"

namespace tw {

inline TestKind kind_of(std::uint8_t test) { return static_cast<TestKind>(test & ~kMissingTakesSecond); }
inline bool is_leaf(std::uint8_t test) { return test == static_cast<std::uint8_t>(TestKind::leaf); }
inline bool missing_takes_second(std::uint8_t test) { return (test & kMissingTakesSecond) != 0; }

// The second child of every inner node, 0 at leaves. Throws BadInput when `test` is not the preorder of one tree.
inline std::vector<std::uint32_t> second_children(const std::vector<std::uint8_t>& test) {
  std::vector<std::uint32_t> second(test.size(), 0);
  std::vector<std::uint32_t> open;  // inner nodes that wait for their second child
  for (std::size_t i = 0; i < test.size(); ++i) {
    if (!is_leaf(test[i])) {
      open.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    if (open.empty()) {
      if (i + 1 != test.size()) throw BadInput("its nodes do not make one tree: it ends before its last node");
      return second;
    }
    second[open.back()] = static_cast<std::uint32_t>(i + 1);
    open.pop_back();
  }
  throw BadInput("its nodes do not make one tree: " + std::to_string(open.size() + 1) + " nodes are missing");
}

}  // namespace tw
