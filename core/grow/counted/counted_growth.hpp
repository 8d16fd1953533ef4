// CountedGrowth: a CART tree whose rows are elsewhere. Somebody counts them; here the counts are read and decided upon.
//
// A node is described (its sums), searched (its columns' tables of counts), split (its children's sums follow from the
// tables), and so on, level by level. Nodes of few rows are fetched instead, and their subtrees are grown as ever. What
// comes out is what grow_binary makes of the same rows, to the last bit: every sum is an integer, every search the
// same.
#pragma once

#include <cstdint>  // for int64_t
#include <memory>   // for unique_ptr
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "grow/counted/cell_search.hpp"
#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

// What the numbers of a node's rows are, beside their sums.
struct NumberFacts {
  std::int64_t low = 0, high = 0;  // levels
  double lowest = 0;               // the smallest y
  __int128 squares = 0;            // weighted, of the levels
};

// Rows of equal level and weight, for a spread that sums do not tell.
struct EqualRows {
  std::int64_t level, weight, rows;
};

struct OpenCells {
  std::uint32_t column;
  std::vector<std::uint32_t> cells;
};

class CountedGrowth {
 public:
  // target: its units and classes only; it has no rows.
  CountedGrowth(std::vector<CountedColumn> columns, Target target, const Recipe& recipe);

  // The root is node 0. sums: as in a cell of a CellTable.
  void set_root(std::span<const std::int64_t> sums);
  // Numbers: completes what a node holds.
  void describe(std::uint32_t node, const NumberFacts& facts, std::span<const EqualRows> rows);
  // Whether describing a node takes its rows by level and weight: where sums do not tell its spread.
  bool needs_equal_rows() const;

  const GrowingNode& node(std::uint32_t node) const { return arenas_[0].nodes[node]; }
  bool may_be_split(std::uint32_t node) const;

  // The stretches that have to be opened before the best split is known; none: it is.
  std::vector<OpenCells> open_cells(std::uint32_t node, std::span<const CellTable> tables);
  // Splits a node by its best test. False: it stays a leaf.
  bool split(std::uint32_t node, std::span<const CellTable> tables);
  // Once the children are described: takes the test back where it does not lower the impurity enough.
  bool keeps_split(std::uint32_t node);
  // The subtree of a node out of its rows, all of them in `table`.
  void grow_fetched(std::uint32_t node, const Table& table, const Target& target, std::span<const std::uint32_t> rows,
                    Workers& workers);

  // The tree so far; `order` gets the node that stands at each place.
  Tree tree(std::vector<std::uint32_t>* order) const;
  Tree finish() const;

 private:
  struct Branches;
  Best find(std::uint32_t node, std::span<const CellTable> tables);
  Branches divide(const Candidate& cut, const CellTable& table, GrowingNode& test);
  std::uint32_t add_child(std::span<const std::int64_t> sums, std::uint32_t depth);
  void take_sums(GrowingNode& s, std::span<const std::int64_t> sums);
  double threshold_of(const Candidate& cut, const CellTable& table) const;

  std::vector<CountedColumn> columns_;
  Target target_;
  Recipe recipe_;
  std::unique_ptr<CellSearch> search_;
  double root_weight_ = 0;
  std::vector<Arena> arenas_;
  std::vector<GrowingNode> before_;  // nodes as they were before their split, by number
};

}  // namespace tw
