// How much each row counts in one tree: how often it was drawn, times its weight, in integers.
#pragma once

#include <cstdint>  // for int64_t, uint32_t
#include <vector>   // for vector

#include "grow/forest/forest_codes.hpp"
#include "grow/forest/forest_rules.hpp"
#include "grow/forest/gather_codes.hpp"
#include "table/target.hpp"

namespace tw {

// How often each row was drawn for a tree. Where weights_inside, the counts hold the weights of the rows already.
struct Draws {
  const std::vector<std::uint32_t>& counts;
  bool weights_inside = false;
  double repeats = 1;  // the mean count of a drawn unit, seen from the unit: 2 for a bootstrap, 1 without replacement
};

// Fills weights[row] and gives what a unit of them is worth. Class weights multiply them; balanced classes weigh the
// same in this tree, and all together as much as before.
double weigh_rows(const Target& target, const Draws& draws, const ForestRules& rules,
                  std::vector<std::int64_t>& weights);

// Σw²/Σw of one draw each: how much noise a unit of weight carries, in units; 1 where all weights are 1. A unit that is
// drawn again confirms itself and no more. Whole weights are so many rows, each of weight 1.
double noise_of_a_unit(const Target& target, const Draws& draws, const ForestRules& rules,
                       const std::vector<std::int64_t>& weights);

// Fills values[row] with drawn weight × y for a numeric target and gives what a unit is worth. Rows that were drawn
// often may together exceed what the target left room for: then the last bits of all of them go.
double value_rows(const Target& target, const Draws& draws, std::vector<std::int64_t>& values);

// What the searches below share: which rows a node has, and the payload of a row.
//
// A tree keeps one array of row numbers that is divided stably at every split. Once a subtree's rows fit a block, their
// codes and payloads are copied next to each other (columns side by side now) and the row numbers count from 0 in it.

// Codes of the whole table or of a block.
struct CodeView {
  const std::uint16_t* base = nullptr;
  std::size_t row_step = 0, column_step = 0;

  bool by_columns() const { return row_step == 1; }

  void gather(std::uint32_t column, const std::uint32_t* rows, std::uint32_t n, std::uint16_t* to) const {
    const std::uint16_t* from = base + column * column_step;
    if (by_columns())
      gather_codes(from, rows, n, to);
    else
      for (std::uint32_t i = 0; i < n; ++i) to[i] = from[rows[i] * row_step];
  }

  // Several columns, one after the other in `to`: each row is fetched once.
  void gather(const std::vector<std::uint32_t>& columns, const std::uint32_t* rows, std::uint32_t n,
              std::uint16_t* to) const {
    constexpr std::uint32_t kAhead = 12;
    if (by_columns()) {
      for (std::size_t k = 0; k < columns.size(); ++k) gather(columns[k], rows, n, to + k * n);
      return;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n) {
        const std::uint16_t* next = base + rows[i + kAhead] * row_step;
        for (std::size_t line = 0; line < row_step; line += 32) __builtin_prefetch(next + line);
      }
      const std::uint16_t* from = base + rows[i] * row_step;
      for (std::size_t k = 0; k < columns.size(); ++k) to[k * n + i] = from[columns[k]];
    }
  }
};

// One number a row, of the whole tree or of the block at work.
template <class T>
class RowNumbers {
 public:
  std::vector<T>& whole() { return whole_; }
  void enter_block(const std::uint32_t* rows, std::uint32_t n) {
    block_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) block_[i] = whole_[rows[i]];
    in_block_ = true;
  }
  void leave_block() { in_block_ = false; }
  const T* data() const { return in_block_ ? block_.data() : whole_.data(); }

 private:
  std::vector<T> whole_, block_;
  bool in_block_ = false;
};

}  // namespace tw
