// NumberNodes: the nodes of a tree with random cuts (extra trees). Search is PairCuts or ClassCuts.
#pragma once

#include <algorithm>  // for copy, copy_n, max, min, swap
#include <cmath>      // for floor
#include <cstdint>    // for uint32_t
#include <limits>     // for numeric_limits
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/forest/growing_tree.hpp"
#include "grow/forest/random_cuts/cell_rows.hpp"
#include "grow/forest/random_cuts/random_lanes.hpp"

namespace tw {

template <class SearchOfNode, class Number>
class NumberNodes : protected GrowingTree {
 public:
  NumberNodes(const CellRows<Number>& table, const Target& target, const ForestRules& rules, Workers& workers)
      : GrowingTree(table.columns, target, rules, workers), search_(target, rules), table_(table),
        block_rows_(rows_in_block(table.step * sizeof(Number))) {}

 protected:
  using Search = SearchOfNode;

  void start(const Draws& draws) {
    take_rows(draws);
    leave_block();
    search_.start_tree(draws);
  }

  void enter_or_leave_block(const Pending& node) {
    if (node.begin < block_end_) return;
    if (block_end_ > 0) leave_block();
    if (node.n > block_rows_ || node.n < 3) return;
    std::uint32_t* rows = rows_.data() + node.begin;
    search_.enter_block(rows, node.n);
    block_end_ = node.begin + node.n;
    copy_rows(rows, node.n);
    base_ = block_.data();
  }

  // Draws columns and divides the rows by the best of their cuts; false when there is none.
  bool split(const Pending& node, std::uint32_t& n_left) {
    const std::uint32_t* rows = rows_.data() + node.begin;
    if constexpr (Search::kCounts) search_.look_closer(rows);
    draw_.start(node.key);
    const bool any_of_two = node.n == 2 && !search_.has_limits();
    if (any_of_two && table_.all_plain) return split_two(node, n_left);
    Best best(search_.best_possible(), tie_key());
    search_.prepare_lanes();
    const LaneRows<Number> cells{base_, table_.step, rows, node.n, 0};
    if (any_of_two && rules_.recipe.missing == MissingPolicy::learn && search_.side_of_two() == 0)
      return split_two_of_mixed(node, cells, best, n_left);
    const std::uint32_t n_columns = draw_.size(), count = std::min(rules_.max_features, n_columns);
    for (std::uint32_t first = 0; count == n_columns && first < count; first += kMostLanes) {
      lanes_.take_all(table_, cells, first);
      look(node, best);
    }
    // Columns that cannot divide the node count too, but the search goes on until one can (as scikit-learn does).
    for (std::uint32_t first = 0; count < n_columns && first < n_columns && !(first >= count && best.get().found());) {
      const std::uint32_t some = first < count ? std::min(kMostLanes, count - first) : 1;
      for (std::uint32_t k = 0; k < some; ++k) drawn_[k] = draw_.next();
      lanes_.take(table_, cells, drawn_, some);
      look(node, best);
      first += some;
    }
    return best.get().found() && divide_by(node, best.get(), n_left);
  }

  Search search_;

 private:
  void leave_block() {
    block_end_ = 0;
    base_ = table_.cells.data();
    search_.leave_block();
  }

  // The rows of a subtree next to each other; they are numbered from 0 there.
  void copy_rows(std::uint32_t* rows, std::uint32_t n) {
    constexpr std::uint32_t kAhead = 8;
    if (block_.size() < n * table_.step) block_.resize(n * table_.step);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n)
        for (std::size_t at = 0; at < table_.step; at += 64 / sizeof(Number))
          __builtin_prefetch(table_.row(rows[i + kAhead]) + at);
      std::copy_n(table_.row(rows[i]), table_.step, block_.data() + i * table_.step);
      rows[i] = i;
    }
  }

  // Only the winning cut of two rows is drawn.
  bool split_two(const Pending& node, std::uint32_t& n_left) {
    std::uint32_t* rows = rows_.data() + node.begin;
    const Number *first = base_ + rows[0] * table_.step, *second = base_ + rows[1] * table_.step;
    const std::uint32_t column = column_of_two(first, second, search_.side_of_two());
    if (column == draw_.size()) return false;
    const bool second_is_left = second[column] < first[column];
    const double gain = search_.gain_of_two(second_is_left);
    if (!gains_enough(gain, search_.weight())) return false;
    write_test(TestKind::threshold, !search_.first_is_heavier(), static_cast<std::int32_t>(column), gain);
    const double x = number_between(std::min(first[column], second[column]), std::max(first[column], second[column]),
                                    drawn(node.key, draw_.size() + static_cast<std::uint64_t>(column)));
    grown_.threshold.push_back(threshold(x, table_.columns[column]));
    if (second_is_left) std::swap(rows[0], rows[1]);
    n_left = 1;
    return true;
  }

  // Every column in which two rows differ divides them, and all of them as well: only the first is looked at.
  bool split_two_of_mixed(const Pending& node, const LaneRows<Number>& cells, Best& best, std::uint32_t& n_left) {
    drawn_[0] = column_of_two(cells.at(0), cells.at(1), 0);
    if (drawn_[0] == draw_.size()) return false;
    lanes_.take(table_, cells, drawn_, 1);
    look(node, best);
    return best.get().found() && divide_by(node, best.get(), n_left);
  }

  void look(const Pending& node, Best& best) {
    if (node.n >= kManyRows) workers_.checkpoint();
    lanes_.draw(node.key, draw_.size());
    const bool takes_holed = lanes_.any_holed() && search_.takes_holed_lanes();
    if (lanes_.any_cut() || takes_holed) search_.look(lanes_, best);
    for (std::uint32_t k = 0; lanes_.any_other() && k < lanes_.count(); ++k)
      if (lanes_.is_other(k) && !(takes_holed && lanes_.is_holed(k))) look_at_other(node, k, best);
  }

  // Levels, or a column in which rows are missing.
  void look_at_other(const Pending& node, std::uint32_t k, Best& best) {
    const std::int32_t column = lanes_.column(k);
    const ForestColumn& about = table_.columns[static_cast<std::size_t>(column)];
    codes_.resize(node.n + kSlack);
    if (!about.ordered()) {
      for (std::uint32_t i = 0; i < node.n; ++i) codes_[i] = code_of(lanes_.cells().at(i)[k]);
      const std::uint64_t word = drawn(node.key, draw_.size() + static_cast<std::uint64_t>(column));
      return search_.look_at_levels(about, column, codes_.data(), word, best);
    }
    if (lanes_.low(k) > lanes_.high(k)) return;
    const double x = lanes_.number(k);
    for (std::uint32_t i = 0; i < node.n; ++i) codes_[i] = side_of(lanes_.cells().at(i)[k], x);
    if (lanes_.low(k) < lanes_.high(k)) return search_.look_at_sides(column, codes_.data(), x, best);
    search_.look_at_known(column, codes_.data(), best);
  }

  static std::uint16_t code_of(Number level) { return level == level ? static_cast<std::uint16_t>(level) : 0; }
  static std::uint16_t side_of(Number number, double x) {
    return number == number ? static_cast<std::uint16_t>(number <= x ? 1 : 2) : 0;
  }

  bool divide_by(const Pending& node, const Candidate& winner, std::uint32_t& n_left) {
    if (search_.knows_left()) return divide_by_number(node, winner, n_left);
    const bool has_missing = mark_sides(node, winner);
    const double gain = search_.gain_of_best(side_of_row_.data());
    if (!gains_enough(gain, search_.weight())) return false;
    const ForestColumn& about = table_.columns[static_cast<std::size_t>(winner.column)];
    const bool by_levels = winner.kind == CutKind::levels;
    const bool missing_second = has_missing ? !winner.missing_left : !search_.first_is_heavier();
    write_test(by_levels ? TestKind::levels : TestKind::threshold, missing_second, winner.column, gain);
    grown_.threshold.push_back(threshold(winner, about));
    if (by_levels) write_levels(about, codes_.data(), node.n, side_);
    n_left = divide(node);
    return true;
  }

  // The same for a plain cut, whose left sum is known: no row is missing.
  bool divide_by_number(const Pending& node, const Candidate& winner, std::uint32_t& n_left) {
    const double gain = search_.gain_of_best(nullptr);
    if (!gains_enough(gain, search_.weight())) return false;
    const ForestColumn& about = table_.columns[static_cast<std::size_t>(winner.column)];
    write_test(TestKind::threshold, !search_.first_is_heavier(), winner.column, gain);
    grown_.threshold.push_back(threshold(winner, about));
    std::uint32_t* rows = rows_.data() + node.begin;
    const std::uint32_t lane = lanes_.lane_of(winner.column);
    if (lane < lanes_.count() && !lanes_.cells().rows)  // its numbers stand next to each other
      n_left = divide_rows(rows, node.n, winner.left_value,
                           [cells = lanes_.cells().base + lane, step = lanes_.cells().step](
                               std::uint32_t i, std::uint32_t) { return cells[i * step]; });
    else
      n_left = divide_rows(rows, node.n, winner.left_value,
                           [cells = base_ + winner.column, step = table_.step](std::uint32_t, std::uint32_t row) {
                             return cells[row * step];
                           });
    return true;
  }

  template <class NumberOf>
  std::uint32_t divide_rows(std::uint32_t* rows, std::uint32_t n, double x, NumberOf number_of) {
    std::uint32_t *left = rows, *right = spare_.data();
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t row = rows[i], goes_right = number_of(i, row) > x;
      *left = *right = row;
      left += 1 - goes_right, right += goes_right;
    }
    std::copy(spare_.data(), right, left);
    return static_cast<std::uint32_t>(left - rows);
  }

  // Ordinal scales have nothing between their levels: the last one on the left is stored.
  static double threshold(const Candidate& winner, const ForestColumn& about) {
    if (winner.kind == CutKind::levels) return std::numeric_limits<double>::quiet_NaN();
    if (winner.known_or_missing) return std::numeric_limits<double>::infinity();
    return threshold(winner.left_value, about);
  }
  static double threshold(double x, const ForestColumn& about) {
    return about.kind == Kind::ordinal ? std::floor(x) : x;
  }

  // Whether any row of the node has no value in the winning column.
  bool mark_sides(const Pending& node, const Candidate& winner) {
    const std::uint32_t* rows = rows_.data() + node.begin;
    const Number* from = base_ + winner.column;
    const auto missing_side = static_cast<std::uint16_t>(winner.missing_left ? 1 : 2);
    bool has_missing = false;
    if (winner.kind == CutKind::levels) {
      mark_levels(node, winner);
      for (std::uint32_t i = 0; i < node.n; ++i) {
        has_missing |= codes_[i] == 0;
        side_of_row_[i] = static_cast<std::uint16_t>(1 + side_[codes_[i]]);
      }
      return has_missing;
    }
    const double x = winner.known_or_missing ? std::numeric_limits<double>::infinity() : winner.left_value;
    for (std::uint32_t i = 0; i < node.n; ++i) {
      const Number number = from[rows[i] * table_.step];
      has_missing |= number != number;
      side_of_row_[i] = number == number ? side_of(number, x) : missing_side;
    }
    return has_missing;
  }

  void mark_levels(const Pending& node, const Candidate& winner) {
    const std::uint32_t* rows = rows_.data() + node.begin;
    const Number* from = base_ + winner.column;
    codes_.resize(node.n + kSlack);
    for (std::uint32_t i = 0; i < node.n; ++i) codes_[i] = code_of(from[rows[i] * table_.step]);
    side_.assign(table_.columns[static_cast<std::size_t>(winner.column)].n_codes + 1, 1);
    for (const std::uint32_t code : winner.left_levels) side_[code] = 0;
    side_[0] = !winner.missing_left;
  }

  const CellRows<Number>& table_;
  std::uint32_t block_rows_, block_end_ = 0;
  const Number* base_ = nullptr;
  HugeVector<Number> block_;
  RandomLanes<Number> lanes_;
  std::uint32_t drawn_[kMostLanes];
  std::vector<std::uint16_t> codes_;
  std::vector<std::uint8_t> side_;
};

}  // namespace tw
