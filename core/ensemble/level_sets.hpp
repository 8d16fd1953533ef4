// LevelSets: which levels go right at the tests by levels of some trees.
#pragma once

#include <algorithm>  // for min
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "ensemble/small_tree.hpp"

namespace tw {

// A level as trees ask for it: its code, from 1 on; 0 where x, a code or NaN, is none.
inline std::uint32_t level_of(double x) {
  const double not_below = x > 0 ? x : 0;  // nor NaN
  return static_cast<std::uint32_t>(std::min(not_below, double{0x7fffffff}));
}

class LevelSets {
 public:
  bool empty() const { return sets_.empty(); }
  std::size_t bytes() const { return sets_.size() * sizeof(Set) + words_.size() * 4; }

  // The levels of test number `which` of a tree; returns the number of the set.
  std::uint32_t add(const SmallTree& tree, std::size_t which, bool missing_right);

  // 1 where the level goes right, else 0. No level, and one that the test does not know, go where missing goes.
  __attribute__((noinline)) std::uint32_t goes_right(std::uint32_t number, double x) const;

  // The same for many levels.
  void go_right(std::uint32_t number, const std::uint32_t* levels, std::size_t n, std::int8_t* right) const;

 private:
  // The levels low … low + span − 1 have a bit each, and all others the one behind them; or (sparse) there are `span`
  // ascending words level << 1 | branch, and one behind them for all others.
  struct Set {
    std::uint32_t start, low, span;
    bool sparse;
  };

  static std::uint32_t bit_of(const Set& set, const std::uint32_t* words, std::uint32_t level) {
    const std::uint32_t bit = std::min(level - set.low, set.span);
    return words[bit / 32] >> (bit % 32) & 1;
  }
  std::uint32_t listed_right(const Set& set, std::uint32_t level) const;

  std::vector<Set> sets_;
  std::vector<std::uint32_t> words_;
};

}  // namespace tw
