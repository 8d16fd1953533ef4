// Lists: a block of rows that has moved house, every column a sorted list; and the lists beside the nodes that describe
// their tests while a tree is written.
#pragma once

#include <algorithm>         // for clamp, max, stable_sort
#include <cstdint>           // for uint32_t, uint64_t
#include <initializer_list>  // for initializer_list
#include <span>              // for span
#include <utility>           // for move
#include <vector>            // for vector

#include "base/radix_sort.hpp"
#include "base/workers.hpp"
#include "grow/growing_node.hpp"
#include "grow/lists/divide_list.hpp"
#include "grow/lists/lane_codes.hpp"
#include "grow/lists/word.hpp"
#include "table/column.hpp"
#include "tree/tree.hpp"

namespace tw {

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
    start(table, rows);
    const std::size_t n_columns = table.columns.size(), threads = static_cast<std::size_t>(workers_.size());
    const std::size_t batch = std::clamp<std::size_t>((n_columns + threads - 1) / threads, 1, kBatch);
    scratch_.resize(threads);
    workers_.run((n_columns + batch - 1) / batch, [&](std::size_t b, int worker) {
      add_batch(b * batch, std::min((b + 1) * batch, n_columns), scratch_[static_cast<std::size_t>(worker)]);
    });
    for (std::size_t c = 0; c < n_columns; ++c)
      if (varies_[c]) columns_.push_back(static_cast<std::int32_t>(c));
    code_rows();
  }

  // The same from the slice [begin, begin + rows.size()) of the lists of a larger block. number_of[i]: what the i-th
  // row there is here.
  template <class OtherWord>
  void fill_from(const Lists<OtherWord>& from, std::uint32_t begin, std::span<const std::uint32_t> rows,
                 const std::uint32_t* number_of) {
    start(from.table(), rows);
    for (std::size_t k = 0; k < from.n_columns(); ++k) {
      pause_before(n_);
      const OtherWord* list = from.list(k) + begin;
      if (rank_of(list[0]) == rank_of(list[n_ - 1])) continue;
      write_list(
          from.column(k), rank_of(list[0]) == 0, [=](std::uint32_t i) { return number_of[row_of(list[i])]; },
          [=](std::uint32_t i) { return rank_of(list[i]) == rank_of(list[i - 1]); });
      columns_.push_back(from.column(k));
    }
    code_rows();
  }

  // Looks for Ctrl-C before a pass over this many rows, if it is a long one.
  void pause_before(std::uint32_t n) const {
    if (n > 8192) workers_.checkpoint();
  }

  const Table& table() const { return *table_; }
  std::uint32_t n_rows() const { return n_; }
  std::size_t n_columns() const { return columns_.size(); }
  std::int32_t column(std::size_t k) const { return columns_[k]; }
  const Column& coded(std::size_t k) const { return table_->columns[columns_[k]]; }
  const Word* list(std::size_t k) const { return words_.data() + static_cast<std::size_t>(columns_[k]) * n_; }
  Word* list(std::size_t k) { return words_.data() + static_cast<std::size_t>(columns_[k]) * n_; }
  std::uint32_t table_row(Word word) const { return rows_[row_of(word)]; }
  // Whether some row has no value in some column.
  bool has_missing() const {
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (rank_of(list(k)[0]) == 0) return true;
    return false;
  }
  const LaneCodes& codes() const { return codes_; }

  // Divides list k alone; right(i) tells the side of its i-th word, n_left how many go left. The parts keep their
  // order.
  template <class IsRight>
  void divide_one(std::size_t k, std::uint32_t begin, std::uint32_t n, IsRight is_right) {
    Word *left = list(k) + begin, *right = spare_.data();
    const Word* words = left;
    for (std::uint32_t i = 0; i < n; ++i) {
      const Word word = words[i];
      if (is_right(i))
        *right++ = word;
      else
        *left++ = word;
    }
    std::copy(spare_.data(), right, left);
  }

  // List k is divided into n_left words and the rest: divides every other list likewise.
  void divide_others(std::size_t k, std::uint32_t begin, std::uint32_t n, std::uint32_t n_left, Part wanted) {
    const bool mark_left = n_left <= n - n_left;
    const Word* marked = list(k) + begin + (mark_left ? 0 : n_left);
    const std::uint32_t n_marked = mark_left ? n_left : n - n_left;
    for (std::uint32_t i = 0; i < n_marked; ++i) mark(row_of(marked[i]));
    for (std::size_t other = 0; other < columns_.size(); ++other)
      if (other != k) divide(list(other) + begin, n, n_left, mark_left, wanted);
    for (std::uint32_t i = 0; i < n_marked; ++i) unmark(row_of(marked[i]));
  }

 private:
  static constexpr std::size_t kBatch = 32;  // columns whose keys are fetched together,
  static constexpr std::uint32_t kRowChunk =
      256;  // a few rows at a time: a row-major matrix is read once, not per column
  static constexpr std::size_t kLookAhead = 32;        // words behind the last list that a vector may read
  static constexpr bool kByBytes = sizeof(Word) == 4;  // marks: a byte a row in blocks, a bit a row in large ones

  void start(const Table& table, std::span<const std::uint32_t> rows) {
    table_ = &table;
    rows_ = rows;
    n_ = static_cast<std::uint32_t>(rows.size());
    columns_.clear();
    varies_.assign(table.columns.size(), 0);
    spare_.resize(n_ + 16);
    if (kByBytes)
      bytes_.assign(n_, 0);
    else
      bits_.assign(n_ / 32 + 1, 0);
    words_.resize(std::max(words_.size(), table.columns.size() * n_ + kLookAhead));
  }

  void mark(std::uint32_t row) {
    if (kByBytes)
      bytes_[row] = 1;
    else
      bits_[row >> 5] |= 1u << (row & 31);
  }
  void unmark(std::uint32_t row) {
    if (kByBytes)
      bytes_[row] = 0;
    else
      bits_[row >> 5] &= ~(1u << (row & 31));
  }
  void divide(Word* words, std::uint32_t n, std::uint32_t n_first, bool marked_first, Part wanted) {
    if constexpr (kByBytes)
      divide_list(words, n, n_first, bytes_.data(), marked_first, wanted, spare_.data());
    else
      divide_list(words, n, bits_.data(), marked_first, spare_.data());
  }

  struct Scratch {
    RadixScratch sort;
    std::vector<std::uint32_t> keys;
  };

  void add_batch(std::size_t begin, std::size_t end, Scratch& scratch) {
    scratch.sort.words.resize(n_);
    scratch.sort.other.resize(n_);
    scratch.keys.resize((end - begin) * n_);
    for (std::uint32_t row = 0; row < n_; row += kRowChunk)
      for (std::size_t c = begin; c < end; ++c) {
        std::uint32_t* keys = scratch.keys.data() + (c - begin) * n_;
        const std::uint32_t last = std::min(n_, row + kRowChunk);
        table_->columns[c].visit_keys([&](auto key_of) {
          for (std::uint32_t i = row; i < last; ++i) keys[i] = key_of(rows_[i]);
        });
      }
    for (std::size_t c = begin; c < end; ++c)
      add_column(static_cast<std::int32_t>(c), scratch.keys.data() + (c - begin) * n_, scratch.sort);
  }

  void add_column(std::int32_t c, const std::uint32_t* keys, RadixScratch& sort) {
    pause_before(n_);
    const Column& column = table_->columns[c];
    const KeyRange range = range_of(keys, n_);
    if (range.lowest == range.highest && column.exact_keys) return;  // constant here: can never split anything below
    std::uint64_t* sorted = sort_keys(keys, n_, range, sort);
    auto row = [=](std::uint32_t i) { return static_cast<std::uint32_t>(sorted[i]); };
    auto same_key = [=](std::uint32_t i) { return (sorted[i] >> 32) == (sorted[i - 1] >> 32); };
    const bool has_missing = range.lowest == 0;
    if (column.exact_keys) return write_list(c, has_missing, row, same_key);
    auto number = [&](std::uint64_t word) { return column.value(rows_[static_cast<std::uint32_t>(word)]); };
    auto is_missing = [&](std::uint64_t word) { return has_missing && (word >> 32) == 0; };
    sort_within_keys(sorted, n_, number, is_missing);
    write_list(c, has_missing, row, [&](std::uint32_t i) {
      return same_key(i) && (is_missing(sorted[i]) || number(sorted[i]) == number(sorted[i - 1]));
    });
  }

  // Dense ranks in the block, 0 for missing. row(i): the i-th row in order; same(i): its value is that of the one
  // before.
  template <class Row, class Same>
  void write_list(std::int32_t c, bool has_missing, Row row, Same same) {
    Word* to = words_.data() + static_cast<std::size_t>(c) * n_;
    const std::uint32_t first = has_missing ? 0 : 1;
    std::uint32_t rank = first;
    for (std::uint32_t i = 0; i < n_; ++i) {
      rank += i && !same(i);
      to[i] = make_word<Word>(rank, row(i));
    }
    varies_[static_cast<std::size_t>(c)] = rank != first;
  }

  // The ranks by rows, beside the lists.
  void code_rows() {
    std::vector<LaneCodes::Kind> kinds(n_ <= kCodedRows ? columns_.size() : 0);
    for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k] = {coded(k).ordered(), rank_of(list(k)[0]) == 0};
    codes_.start(n_, std::move(kinds));
    if (!codes_.fits()) return;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Word* words = list(k);
      for (std::uint32_t i = 0; i < n_; ++i) codes_.set(row_of(words[i]), k, rank_of(words[i]));
    }
  }

  Workers& workers_;
  const Table* table_ = nullptr;
  std::span<const std::uint32_t> rows_;
  std::uint32_t n_ = 0;
  std::vector<std::int32_t> columns_;
  std::vector<Word> words_, spare_;
  std::vector<std::uint8_t> bytes_, varies_;
  std::vector<std::uint32_t> bits_;
  std::vector<Scratch> scratch_;
  LaneCodes codes_;
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
