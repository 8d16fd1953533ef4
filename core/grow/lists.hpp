// Lists: a block of rows that has moved house. Every column that varies in the block is a sorted list of words;
// a node is the same slice [begin, end) of every list, and dividing a node divides every list stably in place.
#pragma once

#include <algorithm>  // for max
#include <cstdint>    // for uint32_t
#include <span>       // for span
#include <vector>     // for vector

#include "base/radix_sort.hpp"
#include "grow/divide_list.hpp"
#include "grow/words.hpp"
#include "table/column.hpp"

namespace tw {

// Rank 0 is missing. Ranks are dense inside the block where the block's 16 bits ask for it.
template <class Word>
class Lists {
 public:
  // rows: the block's rows in the order of their numbers inside the block.
  void fill(const Table& table, std::span<const std::uint32_t> rows) {
    table_ = &table;
    rows_ = rows;
    n_ = static_cast<std::uint32_t>(rows.size());
    columns_.clear();
    sort_.words.resize(n_);
    sort_.other.resize(n_);
    spare_.resize(n_ + 16);
    bits_.assign(n_ / 32 + 1, 0);
    for (std::size_t c = 0; c < table.columns.size(); ++c) add_column(static_cast<std::int32_t>(c));
  }

  std::uint32_t n_rows() const { return n_; }
  std::size_t n_columns() const { return columns_.size(); }
  std::int32_t column(std::size_t k) const { return columns_[k]; }
  const Column& coded(std::size_t k) const { return table_->columns[columns_[k]]; }
  const Word* list(std::size_t k) const { return words_.data() + k * n_; }
  std::uint32_t table_row(Word word) const { return rows_[row_of(word)]; }

  void set_bit(std::uint32_t row) { bits_[row >> 5] |= 1u << (row & 31); }
  bool bit(std::uint32_t row) const { return (bits_[row >> 5] >> (row & 31)) & 1; }
  void clear_bit(std::uint32_t row) { bits_[row >> 5] &= ~(1u << (row & 31)); }

  // Divides the slice [begin, begin + n) of every list by the bits; returns the size of the first part.
  std::uint32_t divide(std::uint32_t begin, std::uint32_t n) {
    std::size_t first = 0;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      first = divide_list(words_.data() + k * n_ + begin, n, bits_.data(), spare_.data());
    return static_cast<std::uint32_t>(first);
  }

 private:
  void add_column(std::int32_t c) {
    const Column& column = table_->columns[c];
    std::uint32_t lowest = 0xffffffffu, highest = 0;
    column.visit_codes([&](const auto* codes) {
      for (std::uint32_t i = 0; i < n_; ++i) {
        const std::uint32_t code = codes[rows_[i]];
        sort_.words[i] = static_cast<std::uint64_t>(code) << 32 | i;
        lowest = std::min(lowest, code), highest = std::max(highest, code);
      }
    });
    if (lowest == highest) return;  // constant here: can never split anything below
    const std::uint64_t* sorted = radix_sort(sort_.words.data(), sort_.other.data(), n_, bits_for(highest));
    columns_.push_back(c);
    words_.resize(columns_.size() * n_);
    Word* list = words_.data() + (columns_.size() - 1) * n_;
    std::uint32_t rank = lowest == 0 ? 0 : 1;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (i && (sorted[i] >> 32) != (sorted[i - 1] >> 32)) ++rank;
      list[i] = make_word<Word>(rank, static_cast<std::uint32_t>(sorted[i]));
    }
  }

  const Table* table_ = nullptr;
  std::span<const std::uint32_t> rows_;
  std::uint32_t n_ = 0;
  std::vector<std::int32_t> columns_;
  std::vector<Word> words_, spare_;
  std::vector<std::uint32_t> bits_;
  RadixScratch sort_;
};

}  // namespace tw
