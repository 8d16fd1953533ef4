// Rows to explain, some thousand at a time: their values as doubles, column by column.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <limits>   // for numeric_limits
#include <vector>   // for vector

#include "predict/frame.hpp"

namespace tw {

constexpr std::size_t kBlockRows = 32;  // that are explained together: a bit each in a word

class RowChunk {
 public:
  // Rows first … first + n − 1 of the frame; the last block is filled up with rows that have no value at all.
  RowChunk(const Frame& frame, std::size_t first, std::size_t n)
      : n_rows(n), n_blocks((n + kBlockRows - 1) / kBlockRows), stride(n_blocks * kBlockRows),
        values_(frame.columns.size() * stride, std::numeric_limits<double>::quiet_NaN()),
        known_(frame.columns.size() * n_blocks, 0) {
    for (std::size_t c = 0; c < frame.columns.size(); ++c)
      for (std::size_t i = 0; i < n; ++i) {
        const double x = frame.columns[c].at(first + i);
        values_[c * stride + i] = x;
        known_[c * n_blocks + i / kBlockRows] |= static_cast<std::uint32_t>(x == x) << i % kBlockRows;
      }
  }

  const std::size_t n_rows, n_blocks, stride;

  // The values of a block in a column, and a bit for each row that has one.
  const double* values(std::size_t column, std::size_t block) const {
    return values_.data() + column * stride + block * kBlockRows;
  }
  std::uint32_t known(std::size_t column, std::size_t block) const { return known_[column * n_blocks + block]; }

 private:
  std::vector<double> values_;
  std::vector<std::uint32_t> known_;
};

}  // namespace tw
