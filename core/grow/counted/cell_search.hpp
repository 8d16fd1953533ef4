// CellSearch: finds splits in tables of counts alone, which somebody else has counted: the rows are elsewhere.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t
#include <vector>   // for vector

#include "grow/candidate.hpp"
#include "grow/growing_node.hpp"
#include "table/column.hpp"

namespace tw {

// One column at one node. Cell 0 has the rows without a value. Of a nominal column cell c has the rows of level c; of
// an ordered one cells are runs of values in ascending order, each one value or a stretch of them.
struct CellTable {
  std::size_t n_cells = 0, width = 0;
  // cells × width: rows, then weight and weighted target (two classes: the weight of class 1), or each class's weight
  const std::int64_t* sums = nullptr;
  // Ordered columns: the smallest value of each cell, and the largest, at this node or at one above it. So a cell may
  // hold fewer values than they tell, but where both are the same it holds this one.
  const double* low = nullptr;
  const double* high = nullptr;

  const std::int64_t* cell(std::size_t c) const { return sums + c * width; }
  std::uint32_t rows(std::size_t c) const { return static_cast<std::uint32_t>(cell(c)[0]); }
  bool is_stretch(std::size_t c) const { return low[c] < high[c]; }
  // The cell with rows that comes behind another one.
  std::size_t next(std::size_t c) const {
    while (rows(++c) == 0);
    return c;
  }
};

struct CountedColumn {
  Kind kind = Kind::numeric;
  std::uint32_t n_codes = 0;  // levels of the whole table

  bool ordered() const { return kind != Kind::nominal; }
};

class CellSearch {
 public:
  virtual ~CellSearch() = default;
  // Makes ready for a node; everything below is about this node. What comes back waits for its first candidate.
  virtual Best start(const GrowingNode& s, const Arena& arena) = 0;
  // Cuts between cells, or groupings of levels. Of a threshold `bucket` is the last cell on the left.
  virtual void find(const CellTable& table, const CountedColumn& kind, std::int32_t column, Best& best) = 0;
  // The stretches of an ordered column inside which a cut may reach a score.
  virtual std::vector<std::uint32_t> open_cells(const CellTable& table, std::int32_t column, double reach) = 0;
};

}  // namespace tw
