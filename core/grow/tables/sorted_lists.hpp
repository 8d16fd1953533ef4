// SortedLists: wide ordered columns as lists of (code, row) words by ascending code, for searches that read every code
// of a node in order. A node is the same slice of every list, and dividing a node divides the lists stably in place, so
// nothing below the root is ever sorted again, and lists are read from one end to the other.
#pragma once

#include <cstdint>  // for uint64_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "table/ranks.hpp"

namespace tw {

class SortedLists {
 public:
  // What one thread needs to divide lists.
  struct Marks {
    std::vector<std::uint32_t> bits;   // one for each row of the table; all 0 between two divisions
    std::vector<std::uint64_t> spare;  // room for one list
  };

  // Of the ordered columns with more codes than n_counted; the others are counted.
  SortedLists(const RankedTable& table, std::span<const std::uint32_t> rows, std::uint32_t n_counted, Workers& workers);

  bool has(std::int32_t column) const { return !lists_[column].empty(); }
  std::span<const std::uint64_t> list(std::int32_t column, std::size_t begin, std::size_t n) const {
    return std::span(lists_[column]).subspan(begin, n);
  }
  Marks make_marks() const;
  static void mark(Marks& marks, std::span<const std::uint32_t> rows);
  static void take_away(Marks& marks, std::span<const std::uint32_t> rows);
  // Divides the slice of one list: the rows that are marked come first, or last.
  void divide(std::int32_t column, std::size_t begin, std::size_t n, const Marks& marks, bool marked_first,
              std::vector<std::uint64_t>& spare);

 private:
  std::size_t n_rows_, n_in_table_;
  std::vector<std::vector<std::uint64_t>> lists_;  // by column; empty for columns that are counted
};

// The lists of one node.
struct ListSlice {
  const SortedLists* lists = nullptr;
  std::size_t begin = 0, n = 0;

  bool has(std::int32_t column) const { return lists && lists->has(column); }
  std::span<const std::uint64_t> operator[](std::int32_t column) const { return lists->list(column, begin, n); }
};

}  // namespace tw
