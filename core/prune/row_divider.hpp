// RowDivider: rows of the training table through the test of a stored node, as growth divided them: a row without a
// value goes down every branch in pieces, or where the node says.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "grow/tables/divide_node.hpp"
#include "grow/tables/sums.hpp"
#include "table/column.hpp"
#include "tree/tree.hpp"

namespace tw {

class RowDivider {
 public:
  RowDivider(const Tree& tree, const Table& table, const Weighing& weighing)
      : tree_(tree), table_(table), weighing_(weighing) {}

  std::int64_t weight_at(const ChildRows& rows, std::size_t i) const {
    return rows.pieces.empty() ? weighing_.weight_of(rows.rows[i]) : rows.pieces[i];
  }
  // Shares are those of the rows at hand; where none of them has a value, every branch gets the same.
  std::vector<ChildRows> divide(std::int32_t node, const ChildRows& rows);
  // Shares are those of the rows that the tree was grown from.
  std::vector<ChildRows> divide_as_grown(std::int32_t node, const ChildRows& rows);
  Sums sum(const ChildRows& rows) const;
  double weight(const Sums& sums) const { return double(sums.weight) * weighing_.unit; }
  double errors(const Sums& sums) const;  // of one answer to all of them

 private:
  void find_routes(std::int32_t node, const ChildRows& rows);
  std::vector<ChildRows> deal(std::int32_t n_branches, const ChildRows& rows, std::vector<std::int64_t> shares) const;

  const Tree& tree_;
  const Table& table_;
  const Weighing& weighing_;
  std::vector<std::int32_t> route_;
};

}  // namespace tw
