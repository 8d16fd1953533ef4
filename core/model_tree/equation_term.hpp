// EquationTerm: what an equation may multiply by a coefficient. A test on a numeric column stands for its number; a
// test on levels for the indicator "the row has one of these levels".
#pragma once

#include <cstdint>  // for int32_t, uint64_t
#include <vector>   // for vector

#include "predict/walk.hpp"
#include "table/column.hpp"
#include "tree/tree.hpp"

namespace tw {

// A column with more levels than this is tested but never part of an equation: nobody could read it.
constexpr std::uint32_t kMostLevels = 64;

struct EquationTerm {
  std::int32_t column = 0;
  std::vector<bool> member;  // by level code, true where the indicator is 1; empty: the number itself

  bool is_number() const { return member.empty(); }
  auto operator<=>(const EquationTerm&) const = default;
};

struct EquationTerms {
  std::vector<EquationTerm> all;      // ascending
  std::vector<std::int32_t> of_node;  // the term of each node's test; −1 where it has none
};

// Tests that divide the levels in the same way are one term, whichever side is which.
EquationTerms find_terms(const Tree& tree, const Table& table);

// ReachableLevels: which levels of a column a row may still have at a node, by the tests above it. The equation of a
// node leaves out the others.

class ReachableLevels {
 public:
  explicit ReachableLevels(const Tree& tree) : tree_(tree), levels_(tree.n_columns, ~std::uint64_t{0}) {}

  // Nodes must come in preorder: only the last step of the way is new.
  void go_to(std::size_t node) {
    for (; path_.size() > 0 && path_.size() >= static_cast<std::size_t>(tree_.depth[node]); path_.pop_back())
      levels_[path_.back().column] = path_.back().before;
    if (node == 0) return;
    const auto parent = static_cast<std::size_t>(tree_.parent[node]);
    std::uint64_t& levels = levels_[tree_.column[parent]];
    path_.push_back({tree_.column[parent], levels});
    for (std::uint32_t code = 1; code <= kMostLevels; ++code)
      if (child_of_level(parent, code) != static_cast<std::int32_t>(node)) levels &= ~bit(code);
  }

  // code: of a column with at most kMostLevels levels.
  bool has(std::int32_t column, std::uint32_t code) const { return levels_[column] & bit(code); }

 private:
  static std::uint64_t bit(std::uint32_t code) { return std::uint64_t{1} << (code - 1); }

  std::int32_t child_of_level(std::size_t node, std::uint32_t code) const {
    return next_node(tree_, node, [&](std::int32_t) { return static_cast<double>(code); });
  }

  struct Step {
    std::int32_t column;
    std::uint64_t before;
  };
  const Tree& tree_;
  std::vector<std::uint64_t> levels_;
  std::vector<Step> path_;
};

}  // namespace tw
