// Lists: a block of rows that has moved house. Every column that varies in the block is a sorted list of words;
// a node is the same slice [begin, end) of every list, and dividing a node divides every list stably in place.
#pragma once

#include <algorithm>  // for max
#include <cstdint>    // for uint32_t
#include <span>       // for span
#include <vector>     // for vector

#include "base/radix_sort.hpp"
#include "grow/sort_within_keys.hpp"
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
    column.visit_keys([&](auto key_of) {
      for (std::uint32_t i = 0; i < n_; ++i) {
        const std::uint32_t key = key_of(rows_[i]);
        sort_.words[i] = static_cast<std::uint64_t>(key) << 32 | i;
        lowest = std::min(lowest, key), highest = std::max(highest, key);
      }
    });
    if (lowest == highest && column.exact_keys) return;  // constant here: can never split anything below
    for (std::uint32_t i = 0; i < n_ && lowest > 1; ++i) sort_.words[i] -= static_cast<std::uint64_t>(lowest - 1) << 32;
    const int bits = bits_for(lowest > 1 ? highest - lowest + 1 : highest);
    std::uint64_t* sorted = radix_sort(sort_.words.data(), sort_.other.data(), n_, bits);
    auto same = [](std::uint64_t x, std::uint64_t y) { return (x >> 32) == (y >> 32); };
    if (column.exact_keys) return append(c, sorted, lowest == 0, same);
    auto number = [&](std::uint64_t word) { return column.value(rows_[static_cast<std::uint32_t>(word)]); };
    sort_within_keys(sorted, n_, number);
    append(c, sorted, lowest == 0, [&](std::uint64_t x, std::uint64_t y) {
      return same(x, y) && ((x >> 32) == 0 || number(x) == number(y));
    });
  }

  // Dense ranks in the block, 0 for missing.
  template <class Same>
  void append(std::int32_t c, const std::uint64_t* sorted, bool has_missing, Same same) {
    columns_.push_back(c);
    words_.resize(columns_.size() * n_);
    Word* list = words_.data() + (columns_.size() - 1) * n_;
    std::uint32_t rank = has_missing ? 0 : 1;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (i && !same(sorted[i - 1], sorted[i])) ++rank;
      list[i] = make_word<Word>(rank, static_cast<std::uint32_t>(sorted[i]));
    }
    if (rank_of(list[0]) == rank_of(list[n_ - 1])) columns_.pop_back();
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
