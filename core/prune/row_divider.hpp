// RowDivider: rows of the training table through the tests of a stored tree, as growth divided them: a row without a
// value goes down every branch in pieces, or where the node says.
//
// Rows lie one after the other in one place, and those of a node are a segment of it. Division puts the rows of each
// branch next to each other within the segment. Only where rows are cut into pieces, and so become more, the branches
// get new segments at the end; give_back() takes those away again.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/tables/sums.hpp"
#include "table/column.hpp"
#include "tree/tree.hpp"

namespace tw {

struct Segment {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

class RowDivider {
 public:
  RowDivider(const Tree& tree, const Table& table, const Weighing& weighing)
      : tree_(tree), table_(table), weighing_(weighing), values_of_codes_(table.columns.size()) {}

  Segment add(std::span<const std::uint32_t> rows);
  std::size_t end() const { return rows_.size(); }
  void give_back(std::size_t end) { rows_.resize(end), weights_.resize(end); }

  // Shares are those of the rows at hand; where none of them has a value, every branch gets the same.
  std::vector<Segment> divide(std::int32_t test, Segment segment);
  // Shares are those of the rows that the tree was grown from.
  std::vector<Segment> divide_as_grown(std::int32_t test, Segment segment);

  // The class weights of each branch, classes of one branch after those of the other; no row is moved. False where rows
  // are cut into pieces: then it must be done by dividing.
  bool count_branches(std::int32_t test, Segment segment, std::vector<std::int64_t>& classes);

  Sums sum(Segment segment) const;
  double in_weight(std::int64_t units) const { return double(units) * weighing_.unit; }
  double weight(const Sums& sums) const { return double(sums.weight) * weighing_.unit; }
  double errors(const Sums& sums) const;                           // of the best single answer to all of them
  std::int64_t wrong(Segment segment, std::int32_t answer) const;  // the weight that this answer gets wrong

 private:
  void find_routes(std::int32_t test, Segment segment);
  bool look_up_codes(std::int32_t test, Segment segment);
  bool compare_numbers(std::int32_t test, Segment segment);
  bool always_sends(std::int32_t test) const;
  const std::vector<double>& values_of_codes(std::int32_t column);
  std::vector<Segment> deal_in_place(std::int32_t n_branches, Segment segment);
  std::vector<Segment> deal_in_two(Segment segment);
  std::vector<Segment> deal_in_pieces(std::int32_t n_branches, Segment segment, std::vector<std::int64_t> shares);

  const Tree& tree_;
  const Table& table_;
  const Weighing& weighing_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::int64_t> weights_;
  std::vector<std::int32_t> route_, branch_of_code_;
  std::int32_t lowest_ = 0;  // of the routes: below 0 where some row has no branch, see tree.hpp
  std::vector<std::vector<double>> values_of_codes_;
  std::vector<std::uint32_t> moved_rows_;
  std::vector<std::int64_t> moved_weights_;
};

}  // namespace tw
