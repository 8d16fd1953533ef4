// ColumnCounts: one column at one node, codes × summary: the only thing that a finder reads. Counter fills it.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/tables/sums.hpp"
#include "table/ranks.hpp"

namespace tw {

// The rows of a node. Pieces are their weights here; empty when every row counts with its own weight.
struct NodeRows {
  std::span<const std::uint32_t> rows;
  std::span<const std::int64_t> pieces;

  std::size_t size() const { return rows.size(); }
};

struct ColumnCounts {
  std::uint32_t n_classes = 0;        // 0: numbers
  std::vector<std::uint32_t> codes;   // known codes that occur at the node, ascending
  std::vector<std::uint32_t> rows;    // of each code: how many rows
  std::vector<std::int64_t> weight;   // their weight
  std::vector<std::int64_t> classes;  // classification: codes.size() × n_classes, code by code
  std::vector<NumberSum> numbers;     // regression
  Sums missing, known;                // rows without a value, and all the others

  std::size_t size() const { return codes.size(); }
  std::span<const std::int64_t> classes_of(std::size_t i) const { return {classes.data() + i * n_classes, n_classes}; }
};

// Counts the rows of nodes; one Counter a thread, since it keeps its memory.
class Counter {
 public:
  Counter(const RankedTable& table, const Weighing& weighing);

  // Every node is counted already, by somebody who has the rows: the counts of each column of the next one.
  void answer_with(const std::vector<ColumnCounts>* counted) { counted_ = counted; }
  // The rows of every node will ascend by the codes of this column.
  void rows_ascend_by(std::int32_t column) { ascending_ = column; }

  Sums sum(const NodeRows& node) const;
  void count(const NodeRows& node, std::int32_t column, ColumnCounts& to);
  // The same from words (code, row) by ascending code, of whole rows.
  void count_list(std::span<const std::uint64_t> list, ColumnCounts& to);

 private:
  template <class Code>
  void count_codes(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to);
  template <class Code>
  void count_ascending(const NodeRows& node, const Code* codes, ColumnCounts& to);
  void count_few_rows(const NodeRows& node, const std::uint8_t* codes, ColumnCounts& to);
  template <class Code>
  void count_rows_by_class(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to);
  template <class Code>
  void count_pieces_by_class(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to);
  template <class Code>
  void count_sorted(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to);
  template <class RowAt>
  void add_runs(std::span<const std::uint64_t> sorted, ColumnCounts& to, RowAt row_at);
  template <class Code>
  void sort_rows_by_class(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to);
  template <class Code>
  void sort_pieces_by_class(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to);
  template <class Code>
  void count_dense(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to);
  template <class Code, class Carried>
  const std::uint64_t* sort_rows(const NodeRows& node, const Code* codes, std::uint32_t n_codes, Carried&& carried);

  // Where the sums of one code are.
  struct Cell {
    std::uint32_t* rows;
    std::int64_t *weight, *classes;
    NumberSum* numbers;
  };
  Cell cell_of(ColumnCounts& to, std::size_t i) const;
  Cell missing_of(ColumnCounts& to) const;
  static std::size_t close_code(ColumnCounts& to, std::size_t n, std::uint32_t code, std::uint32_t rows,
                                std::int64_t weight);
  void start(ColumnCounts& to) const;
  void make_room(ColumnCounts& to, std::size_t n) const;
  void finish(ColumnCounts& to, std::size_t n) const;

  const RankedTable& table_;
  const Weighing& weighing_;
  std::uint32_t n_classes_;
  bool unit_weights_;
  std::int32_t ascending_ = -1;
  const std::vector<ColumnCounts>* counted_ = nullptr;
  std::vector<std::int64_t> clean_;  // cells of count_few_rows, all 0 between calls
  std::vector<std::uint32_t> dense_rows_;
  std::vector<std::int64_t> dense_weights_;
  std::vector<NumberSum> dense_numbers_;
  std::vector<std::uint64_t> words_, other_words_;
};

}  // namespace tw
