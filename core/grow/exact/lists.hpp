// Word: one row of one column inside a block, as (rank in the block, row in the block) packed into one integer.
// A list is a column's words in ascending order: a table of counts that streams past one row at a time.
#pragma once

#include <algorithm>         // for stable_sort, max
#include <cstdint>           // for uint32_t, uint64_t
#include <initializer_list>  // for initializer_list
#include <span>              // for span
#include <utility>           // for move
#include <vector>            // for vector

#include "base/radix_sort.hpp"
#include "base/workers.hpp"
#include "grow/exact/divide_list.hpp"
#include "grow/growing_node.hpp"
#include "table/column.hpp"
#include "tree/tree.hpp"

namespace tw {

template <class Word>
struct WordParts;

template <>
struct WordParts<std::uint32_t> {  // blocks of at most 65,535 rows
  static constexpr int kShift = 16;
  static constexpr std::uint32_t kMaxRows = 65535;
};
template <>
struct WordParts<std::uint64_t> {
  static constexpr int kShift = 32;
  static constexpr std::uint32_t kMaxRows = 0xfffffff0u;
};

template <class Word>
inline std::uint32_t rank_of(Word word) {
  return static_cast<std::uint32_t>(word >> WordParts<Word>::kShift);
}
template <class Word>
inline std::uint32_t row_of(Word word) {
  if constexpr (sizeof(Word) == 4) return word & 0xffffu;
  return static_cast<std::uint32_t>(word);
}
template <class Word>
inline Word make_word(std::uint32_t rank, std::uint32_t row) {
  return static_cast<Word>(static_cast<Word>(rank) << WordParts<Word>::kShift | row);
}

// Settles the order of words whose keys are equal although their numbers may not be (Column::exact_keys is false).

// words: sorted by their upper 32 bits; number(word) gives the number behind a word. Missing ones are left alone.
template <class Number, class IsMissing>
void sort_within_keys(std::uint64_t* words, std::size_t n, Number number, IsMissing is_missing) {
  for (std::size_t begin = 0, end; begin < n; begin = end) {
    for (end = begin + 1; end < n && (words[end] >> 32) == (words[begin] >> 32);) ++end;
    if (end - begin == 1 || is_missing(words[begin])) continue;
    std::stable_sort(words + begin, words + end, [&](auto x, auto y) { return number(x) < number(y); });
  }
}

// Lists: a block of rows that has moved house. Every column that varies in the block is a sorted list of words;
// a node is the same slice [begin, end) of every list, and dividing a node divides every list stably in place. Only the
// smaller part is marked, so that a part of one row costs next to nothing.

// Rank 0 is missing. Ranks are dense inside the block where the block's 16 bits ask for it.
template <class Word>
class Lists {
 public:
  explicit Lists(Workers& workers) : workers_(workers) {}

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
    words_.resize(std::max(words_.size(), table.columns.size() * n_));
    for (std::size_t c = 0; c < table.columns.size(); c += kBatch)
      add_batch(c, std::min(c + kBatch, table.columns.size()));
  }

  // Looks for Ctrl-C before a pass over this many rows, if it is a long one.
  void pause_before(std::uint32_t n) const {
    if (n > 8192) workers_.checkpoint();
  }

  std::uint32_t n_rows() const { return n_; }
  std::size_t n_columns() const { return columns_.size(); }
  std::int32_t column(std::size_t k) const { return columns_[k]; }
  const Column& coded(std::size_t k) const { return table_->columns[columns_[k]]; }
  const Word* list(std::size_t k) const { return words_.data() + k * n_; }
  std::uint32_t table_row(Word word) const { return rows_[row_of(word)]; }

  // Marks rows of the smaller part of a node that is about to be divided; divide() takes the marks away again.
  void mark(Word word) { bits_[row_of(word) >> 5] |= 1u << (row_of(word) & 31); }

  // Divides the slice [begin, begin + n) of every list into n_first rows and the rest: the marked rows first or last.
  // in_place: a list that is divided already, because its own order divides it (−1: none).
  void divide(std::uint32_t begin, std::uint32_t n, std::uint32_t n_first, bool marked_first, std::ptrdiff_t in_place) {
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (static_cast<std::ptrdiff_t>(k) != in_place)
        divide_list(words_.data() + k * n_ + begin, n, bits_.data(), marked_first, spare_.data());
    const Word* marked = words_.data() + begin + (marked_first ? 0 : n_first);
    const std::uint32_t n_marked = marked_first ? n_first : n - n_first;
    for (std::uint32_t i = 0; i < n_marked; ++i) bits_[row_of(marked[i]) >> 5] &= ~(1u << (row_of(marked[i]) & 31));
  }

 private:
  static constexpr std::size_t kBatch = 32;  // columns whose keys are fetched together,
  static constexpr std::uint32_t kRowChunk =
      256;  // a few rows at a time: a row-major matrix is read once, not per column

  void add_batch(std::size_t begin, std::size_t end) {
    keys_.resize((end - begin) * n_);
    for (std::uint32_t row = 0; row < n_; row += kRowChunk)
      for (std::size_t c = begin; c < end; ++c) {
        std::uint32_t* keys = keys_.data() + (c - begin) * n_;
        const std::uint32_t last = std::min(n_, row + kRowChunk);
        table_->columns[c].visit_keys([&](auto key_of) {
          for (std::uint32_t i = row; i < last; ++i) keys[i] = key_of(rows_[i]);
        });
      }
    for (std::size_t c = begin; c < end; ++c) add_column(static_cast<std::int32_t>(c), keys_.data() + (c - begin) * n_);
  }

  void add_column(std::int32_t c, const std::uint32_t* keys) {
    pause_before(n_);
    const Column& column = table_->columns[c];
    const KeyRange range = range_of(keys, n_);
    if (range.lowest == range.highest && column.exact_keys) return;  // constant here: can never split anything below
    std::uint64_t* sorted = sort_keys(keys, n_, range, sort_);
    auto same = [](std::uint64_t x, std::uint64_t y) { return (x >> 32) == (y >> 32); };
    const bool has_missing = range.lowest == 0;
    if (column.exact_keys) return append(c, sorted, has_missing, same);
    auto number = [&](std::uint64_t word) { return column.value(rows_[static_cast<std::uint32_t>(word)]); };
    auto is_missing = [&](std::uint64_t word) { return has_missing && (word >> 32) == 0; };
    sort_within_keys(sorted, n_, number, is_missing);
    append(c, sorted, has_missing,
           [&](std::uint64_t x, std::uint64_t y) { return same(x, y) && (is_missing(x) || number(x) == number(y)); });
  }

  // Dense ranks in the block, 0 for missing.
  template <class Same>
  void append(std::int32_t c, const std::uint64_t* sorted, bool has_missing, Same same) {
    columns_.push_back(c);
    Word* list = words_.data() + (columns_.size() - 1) * n_;
    std::uint32_t rank = has_missing ? 0 : 1;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (i && !same(sorted[i - 1], sorted[i])) ++rank;
      list[i] = make_word<Word>(rank, static_cast<std::uint32_t>(sorted[i]));
    }
    if (rank_of(list[0]) == rank_of(list[n_ - 1])) columns_.pop_back();
  }

  Workers& workers_;
  const Table* table_ = nullptr;
  std::span<const std::uint32_t> rows_;
  std::uint32_t n_ = 0;
  std::vector<std::int32_t> columns_;
  std::vector<Word> words_, spare_;
  std::vector<std::uint32_t> bits_, keys_;
  RadixScratch sort_;
};

// The lists beside the nodes that describe their tests, while a tree is written: surrogates and competitors.

// A NodeList that is filled node by node.
class ListWriter {
 public:
  ListWriter(const char* name, std::initializer_list<const char*> fields) {
    list_.name = name;
    list_.start.push_back(0);
    for (const char* field : fields) list_.fields.emplace_back(field, std::vector<double>());
  }

  void add(std::initializer_list<double> numbers) {
    std::size_t f = 0;
    for (const double number : numbers) list_.fields[f++].second.push_back(number);
  }
  void end_node() { list_.start.push_back(static_cast<std::int64_t>(list_.fields[0].second.size())); }
  std::int64_t entries_of_node() const {
    return static_cast<std::int64_t>(list_.fields[0].second.size()) - list_.start.back();
  }
  // A list without entries is not stored.
  void move_into(Tree& tree) {
    if (list_.start.back() > 0) tree.lists.push_back(std::move(list_));
  }

 private:
  NodeList list_;
};

class SurrogateLists {
 public:
  void add(const Surrogate& s) {
    const auto which = double(tests_.entries_of_node());
    tests_.add({double(s.column), s.threshold, double(s.flip), s.agreement, s.adjusted});
    for (const auto& [code, branch] : s.levels) levels_.add({which, double(code), double(branch)});
  }
  void end_node() { tests_.end_node(), levels_.end_node(); }
  void move_into(Tree& tree) { tests_.move_into(tree), levels_.move_into(tree); }

 private:
  ListWriter tests_{"surrogate", {"column", "threshold", "flip", "agreement", "adjusted"}};
  ListWriter levels_{"surrogate_level", {"which", "level", "branch"}};
};

class CompetitorLists {
 public:
  void add(const Competitor& c) {
    const auto which = double(tests_.entries_of_node());
    tests_.add({double(c.column), c.threshold, c.improvement});
    for (const LevelBranch& level : c.levels) levels_.add({which, double(level.code), double(level.branch)});
  }
  void end_node() { tests_.end_node(), levels_.end_node(); }
  void move_into(Tree& tree) { tests_.move_into(tree), levels_.move_into(tree); }

 private:
  ListWriter tests_{"candidate", {"column", "threshold", "improvement"}};
  ListWriter levels_{"candidate_level", {"which", "level", "branch"}};
};

}  // namespace tw
