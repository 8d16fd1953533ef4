// EquationTerm: what an equation may multiply by a coefficient. A test on a numeric column stands for its number; a
// test on levels for the indicator "the row has one of these levels".
#pragma once

#include <cstdint>  // for int32_t
#include <vector>   // for vector

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

}  // namespace tw
