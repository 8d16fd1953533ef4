// SubtreeBlock: the codes of a subtree's rows, copied next to each other. The rows are numbered from 0 in it.
#pragma once

#include <algorithm>  // for copy_n
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "base/huge_memory.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/tree_rows.hpp"

namespace tw {

class SubtreeBlock {
 public:
  // Column by column.
  CodeView by_columns(const ForestCodes& codes, std::uint32_t* rows, std::uint32_t n) {
    const std::size_t p = codes.n_columns;
    columns_.resize(n * p + 1);  // gathering reads two codes at a time
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n) prefetch(codes, rows[i + kAhead]);
      const std::uint16_t* from = codes.row(rows[i]);
      for (std::size_t c = 0; c < p; ++c) columns_[c * n + i] = from[c];
      rows[i] = i;
    }
    return {columns_.data(), 1, n};
  }

  // Row by row, each of which begins a line of the cache.
  CodeView by_rows(const ForestCodes& codes, std::uint32_t* rows, std::uint32_t n) {
    const std::size_t p = codes.n_columns, step = (p + kLine - 1) / kLine * kLine;
    if (rows_.size() < n * step) rows_.resize(n * step);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n) prefetch(codes, rows[i + kAhead]);
      std::copy_n(codes.row(rows[i]), p, rows_.data() + i * step);
      rows[i] = i;
    }
    return {rows_.data(), step, 1};
  }

 private:
  static constexpr std::uint32_t kAhead = 8;
  static constexpr std::size_t kLine = 64 / sizeof(std::uint16_t);  // codes in a line of the cache

  static void prefetch(const ForestCodes& codes, std::uint32_t row) {
    for (std::size_t c = 0; c < codes.n_columns; c += kLine) __builtin_prefetch(codes.row(row) + c);
  }

  std::vector<std::uint16_t> columns_;
  HugeVector<std::uint16_t> rows_;
};

}  // namespace tw
