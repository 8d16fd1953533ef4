// The range of the known codes of a column at a node.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t, uint16_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/huge_memory.hpp"
#include "base/workers.hpp"
#include "table/column.hpp"

namespace tw {

struct CodeRange {
  std::uint32_t lowest = 0xffffffffu, highest = 0;  // of the known codes
  bool has_missing = false;

  bool one_known() const { return lowest >= highest; }  // at most one known value
  bool constant() const { return lowest > highest || (lowest == highest && !has_missing); }
};

CodeRange known_range(const std::uint16_t* codes, std::uint32_t n);

// The largest code up to `cut`, and the smallest above it.
struct CodesBeside {
  std::uint32_t left, right;
};
CodesBeside codes_beside(const std::uint16_t* codes, std::uint32_t n, std::uint32_t cut);

// ForestCodes: the whole table as 16-bit codes, made once for all trees of a forest. Missing is 0.
//
// A column of at most 65,535 different numbers gets their ranks: every cut between two numbers is there. A longer one
// is cut into 65,535 runs of about equally many rows, which no tree of a forest can tell from the ranks (a run holds
// n / 65,535 rows). Levels keep their codes; of more than 65,535 levels the rarest count as missing.
// Codes are kept twice: by columns, for nodes with many of the rows, and by rows, for nodes whose rows are far apart.

constexpr std::uint32_t kMostForestCodes = 65535;

struct ForestColumn {
  Kind kind = Kind::numeric;
  bool has_missing = false;
  std::uint32_t n_codes = 0;                // of the codes below
  std::span<const double> lowest, highest;  // ordered: the numbers of code c lie from lowest[c − 1] to highest[c − 1]
  std::vector<std::uint32_t> level;         // nominal, more than 65,535 levels: level of code c is level[c − 1]

  bool ordered() const { return kind != Kind::nominal; }
  std::uint32_t level_of(std::uint32_t code) const { return level.empty() ? code : level[code - 1]; }
};

struct ForestCodes {
  using Cell = std::uint16_t;
  std::size_t n_rows = 0, n_columns = 0;
  HugeVector<std::uint16_t> codes;      // by rows
  HugeVector<std::uint16_t> by_column;  // the same by columns
  HugeVector<double> values;            // what lowest and highest of the columns look at
  std::vector<ForestColumn> columns;

  const std::uint16_t* row(std::size_t r) const { return codes.data() + r * n_columns; }
};

// The codes of a nominal column, and what is to be known about them.
void code_levels(const Column& column, std::size_t n_rows, ForestColumn& to, std::uint16_t* codes);

ForestCodes code_for_forest(const Table& table, Workers& workers);

}  // namespace tw
