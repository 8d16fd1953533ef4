// TableGrowth: a tree of any splitter that reads tables of counts, of classes, whose rows are elsewhere. Somebody
// counts them; here the counts become ColumnCounts, the splitter decides, and the sums of the branches follow from the
// column that it chose. What comes out is what grow_from_tables makes of the same rows.
#pragma once

#include <cstdint>  // for int64_t
#include <memory>   // for unique_ptr
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "grow/counted/cell_search.hpp"
#include "grow/recipe.hpp"
#include "grow/tables/splitter.hpp"
#include "grow/tables/write_tree.hpp"
#include "table/target.hpp"

namespace tw {

class TableGrowth {
 public:
  // columns: without rows; the value of a code is that of its cell. target: its units and classes only.
  TableGrowth(std::vector<RankedColumn> columns, Target target, const Recipe& recipe);

  // The root is node 0. sums: as in a cell of a CellTable.
  void set_root(std::span<const std::int64_t> sums, Workers& workers);
  // The nodes that wait for their tables, and have not been told before.
  std::vector<std::uint32_t> open_nodes();
  // Decides about a node. Cell c of a column's table has the rows of code c.
  void split(std::uint32_t node, std::span<const CellTable> tables, Workers& workers);

  const GrownNode& node(std::uint32_t node) const { return nodes_[node]; }

  // The tree so far; `order` gets the node that stands at each place.
  Tree tree(std::vector<std::uint32_t>* order) const;
  Tree finish() const;

 private:
  using Columns = std::shared_ptr<const std::vector<std::int32_t>>;
  NodeView view(const Sums& sums, std::uint32_t depth, const std::vector<std::int32_t>& columns,
                Workers& workers) const;
  bool is_leaf(const NodeView& node) const;
  Sums sums_of(std::span<const std::int64_t> cell) const;
  ColumnCounts counts_of(const CellTable& table) const;
  std::vector<Sums> sums_of_branches(const Split& split, const ColumnCounts& counts) const;
  Decision decide(const NodeView& node, const std::vector<ColumnCounts>& counts, std::vector<std::int32_t>& dropped);
  void add_node(Sums sums, std::uint32_t depth, const Columns& columns, Workers& workers);

  RankedTable table_;
  Target target_;
  Recipe recipe_;
  std::unique_ptr<Splitter> splitter_;
  Weighing weighing_;
  Sums root_;
  std::vector<GrownNode> nodes_;
  std::vector<Columns> columns_;  // that each node may still ask
  std::vector<std::uint32_t> open_;
};

}  // namespace tw
