// The rows a tree of a forest is grown from: how often each was drawn. A function of content, seed and tree alone: of
// neither the order of the rows nor the thread, so whoever asks later (out-of-bag importance) gets the same answer.
//
// What is drawn are units: rows, or where all weights are whole numbers, as many units a row as it weighs. A row of
// weight 2 is then the same as the row twice. Units are numbered along the order of rows by their content. Where rows
// have groups, a unit is a group, and its rows keep their weights.
#pragma once

#include <cstdint>  // for uint32_t
#include <numeric>  // for iota
#include <utility>  // for swap
#include <vector>   // for vector

#include "base/counted_random.hpp"
#include "base/workers.hpp"
#include "grow/forest/forest_rules.hpp"
#include "table/column.hpp"
#include "table/target.hpp"

namespace tw {

class DrawUnits {
 public:
  DrawUnits() = default;
  // weights: units of each row, or null where each has one.
  DrawUnits(std::vector<std::uint32_t> rows, const std::vector<std::int64_t>* weights);

  std::uint64_t size() const { return end_.empty() ? rows_.size() : end_.back(); }
  std::uint32_t row_of(std::uint64_t unit) const;
  const std::vector<std::uint32_t>& rows() const { return rows_; }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint64_t> end_;  // empty: every row is one unit
};

class RowDrawer {
 public:
  RowDrawer(const Table& table, const Target& target, const ForestRules& rules, Workers& workers);

  // Whether counts already hold the weights, which are whole numbers then.
  bool weights_are_units() const { return weights_are_units_; }
  // 1 + the mean number of draws of a unit where units can be drawn again, else 1.
  double repeats() const;
  // What is drawn from, in the order of content, and how often: rows, or groups. Empty where nothing is drawn, or where
  // each class is drawn from apart.
  const std::vector<std::uint32_t>& drawn_from() const { return all_.rows(); }
  std::uint64_t n_draws() const { return n_draws_; }
  // Fills counts[row]; rows that do not count in the target have 0.
  void draw(std::uint32_t tree, std::vector<std::uint32_t>& counts) const;

 private:
  void draw_with_replacement(const DrawUnits& units, std::uint64_t n_draws, std::uint64_t stream,
                             std::vector<std::uint32_t>& counts) const;
  void draw_without_replacement(std::uint64_t stream, std::vector<std::uint32_t>& counts) const;
  void draw_groups(std::uint64_t stream, std::vector<std::uint32_t>& counts) const;

  const Target& target_;
  const ForestRules& rules_;
  std::size_t n_rows_;
  bool weights_are_units_ = true;
  std::uint64_t n_draws_ = 0;
  DrawUnits all_;
  std::vector<DrawUnits> of_class_;  // balanced sampling only
};

// ColumnDraw: the columns of a node, drawn without replacement one at a time (Fisher and Yates), as many as are asked
// for. The order is a function of the node's key alone: the swaps of a node are undone before the next one draws.

class ColumnDraw {
 public:
  explicit ColumnDraw(std::uint32_t n_columns) : order_(n_columns) { std::iota(order_.begin(), order_.end(), 0u); }

  std::uint32_t size() const { return static_cast<std::uint32_t>(order_.size()); }

  void start(std::uint64_t key) {
    for (; n_drawn_ > 0; --n_drawn_) std::swap(order_[n_drawn_ - 1], order_[from_[n_drawn_ - 1]]);
    key_ = key;
  }

  // The next column; at most size() of them may be drawn after start().
  std::uint32_t next() {
    const std::uint32_t left = size() - n_drawn_;
    const auto at = n_drawn_ + static_cast<std::uint32_t>(below(drawn(key_, n_drawn_), left));
    if (from_.size() == n_drawn_) from_.push_back(0);
    from_[n_drawn_] = at;
    std::swap(order_[n_drawn_], order_[at]);
    return order_[n_drawn_++];
  }

  std::uint64_t key() const { return key_; }

 private:
  std::vector<std::uint32_t> order_, from_;
  std::uint32_t n_drawn_ = 0;
  std::uint64_t key_ = 0;
};

// The key of a node's child, so that no key depends on the order of growth.
inline std::uint64_t child_key(std::uint64_t key, std::uint64_t branch) { return stream_key({key, branch}); }

}  // namespace tw
