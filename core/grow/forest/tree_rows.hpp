// What the searches below share: which rows a node has, and the payload of a row.
//
// A tree keeps one array of row numbers that is divided stably at every split. Once a subtree's rows fit a block, their
// codes and payloads are copied next to each other (columns side by side now) and the row numbers count from 0 in it.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "grow/forest/forest_codes.hpp"
#include "grow/forest/gather_codes.hpp"

namespace tw {

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
