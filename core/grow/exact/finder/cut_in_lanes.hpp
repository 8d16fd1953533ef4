// Finds the best cut of a node of few rows, all columns at once (lists/lane_gains.hpp), and the same again in whole
// numbers for the cuts that may win.
#pragma once

#include <algorithm>  // for copy, max
#include <bit>        // for bit_width, countr_zero
#include <cstdint>    // for int64_t
#include <span>       // for span

#include "grow/candidate.hpp"
#include "grow/lists/lane_gains.hpp"
#include "grow/lists/list_gains.hpp"
#include "grow/lists/word.hpp"

namespace tw {

// Rows of a node as a set: bit j is the j-th of those handed in.
using RowSet = std::uint32_t;

template <class F>
void for_each_row(RowSet rows, F f) {
  for (; rows; rows &= rows - 1) f(static_cast<std::uint32_t>(std::countr_zero(rows)));
}

class CutInLanes {
 public:
  void start(const LaneNode& node) {
    codes_ = &node.codes;
    gains_.start(node.codes.n_lanes(), node.codes.stride());
    n_ = static_cast<std::uint32_t>(node.rows.size());
  }

  // The gains of numbers, of which number(j) is the j-th and `sum` the sum of all.
  template <class Number>
  void find_numbers(const LaneNode& node, Number number, std::int64_t sum) {
    std::int64_t centred[kLaneRows];
    std::uint64_t widest = 0;
    for (std::uint32_t j = 0; j < n_; ++j) {
      centred[j] = n_ * number(j) - sum;  // they add up to 0
      widest |= static_cast<std::uint64_t>(centred[j] < 0 ? -centred[j] : centred[j]);
    }
    const int bits = static_cast<int>(std::bit_width(widest)), shift = bits > kNumberBits ? bits - kNumberBits : 0;
    alignas(64) std::int32_t numbers[kLaneRows] = {};
    double squares = 0;
    for (std::uint32_t j = 0; j < n_; ++j) {
      numbers[j] = static_cast<std::int32_t>(centred[j] >> shift);
      squares += double(numbers[j]) * double(numbers[j]);
    }
    find_number_gains(node, numbers, gains_);
    least_ = least_number_gain(gains_.largest(), shift ? n_ : 0, squares);
  }

  void find_classes(const LaneNode& node, const std::uint32_t* classes, std::span<const std::uint32_t> totals) {
    find_class_gains(node, classes, totals, gains_);
    least_ = static_cast<float>(least_class_gain(gains_.largest(), n_));
  }

  // Offers the cuts that may win, by score(left rows, their number), of ordered columns that every row has. The same
  // rows on a side score the same: of such cuts only the first is looked at.
  template <class Score>
  void offer(Best& best, Score score) const {
    const RowSet all = n_ == kLaneRows ? ~0u : (1u << n_) - 1;
    RowSet held = 0;
    for (std::size_t k = 0; k < codes_->n_columns(); ++k) {
      if (!(gains_.most(k) >= least_) || !codes_->kind(k).ordered || has_missing(k)) continue;
      RowSet left = 0;
      for (std::uint32_t p = 0; p + 1 < n_; ++p) {
        left |= 1u << gains_.slot(p, k);
        if (!(gains_.gain(p, k) >= least_) || left == held || (left ^ all) == held) continue;
        const double found = score(left, p + 1);
        if (found < best.beat() || !best.offer(found, static_cast<std::int32_t>(k), p + 1, true)) continue;
        best.get().kind = CutKind::threshold;
        held = left;
      }
      if (n_ == 2 && held) return;  // every other cut is the same
    }
  }

  // Calls look(column) for the other columns that may have the best split: those with missing rows, then levels.
  template <class Look>
  void for_others(Look look) const {
    for (std::size_t k = 0; k < codes_->n_columns(); ++k)
      if (const std::size_t behind = codes_->kind(k).behind; behind > 0 && has_missing(k))
        if (std::max(gains_.most(k), gains_.most(behind)) >= least_) look(k);
    for (std::size_t k = 0; k < codes_->n_columns(); ++k)
      if (!codes_->kind(k).ordered) look(k);
  }

  // Writes the rows of words in the order of a column, with its ranks.
  template <class Word>
  void put_in_order(const Word* words, std::size_t column, Word* ordered) const {
    for (std::uint32_t j = 0; j < n_; ++j) {
      const std::uint32_t row = row_of(words[gains_.slot(j, column)]);
      ordered[j] = make_word<Word>(codes_->rank(row, column), row);
    }
  }
  template <class Word>
  void put_in_order(Word* words, std::size_t column) const {
    Word before[kLaneRows];
    std::copy(words, words + n_, before);
    put_in_order(before, column, words);
  }

 private:
  // Whether a row of the node has no value in an ordered column.
  bool has_missing(std::size_t column) const { return codes_->kind(column).has_missing && gains_.code(0, column) == 0; }

  static constexpr int kNumberBits = 25;
  const LaneCodes* codes_ = nullptr;
  std::uint32_t n_ = 0;
  float least_ = 0;
  LaneGains gains_;
};

}  // namespace tw
