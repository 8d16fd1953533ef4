#include "grow/tables/column_counts.hpp"

#include <algorithm>  // for fill_n, min
#include <bit>        // for countr_zero
#include <utility>    // for pair

#include "base/radix_sort.hpp"

namespace tw {
namespace {

constexpr std::size_t kCellsPerRow = 4;  // a table with more cells than this per row is not worth clearing

}  // namespace

Counter::Counter(const RankedTable& table, const Weighing& weighing)
    : table_(table), weighing_(weighing), n_classes_(weighing.target->n_classes),
      unit_weights_(weighing.target->unit_weights()) {}

Sums Counter::sum(const NodeRows& node) const {
  Sums sums;
  sums.rows = static_cast<std::uint32_t>(node.size());
  sums.classes.assign(n_classes_, 0);
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::uint32_t row = node.rows[i];
    const std::int64_t w = node.pieces.empty() ? weighing_.weight_of(row) : node.pieces[i];
    sums.weight += w;
    if (n_classes_)
      sums.classes[weighing_.target->classes[row]] += w;
    else
      sums.numbers.add(w, weighing_.level_of(row)),
          sums.full += static_cast<__int128>(w) * weighing_.target->level[row];
  }
  return sums;
}

void Counter::count(const NodeRows& node, std::int32_t column, ColumnCounts& to) {
  if (counted_) {
    to = (*counted_)[column];
    return;
  }
  const RankedColumn& c = table_.columns[column];
  start(to);
  const bool in_order = column == ascending_ && n_classes_ && (unit_weights_ || !node.pieces.empty());
  c.visit_codes([&](const auto* codes) {
    in_order ? count_ascending(node, codes, to) : count_codes(node, codes, c.n_codes, to);
  });
}

// Rows that lie in the order of the column: runs of equal codes are added up as they come.
template <class Code>
void Counter::count_ascending(const NodeRows& node, const Code* codes, ColumnCounts& to) {
  const std::uint16_t* class_of = weighing_.target->classes.data();
  const std::uint32_t* rows = node.rows.data();
  const std::int64_t *pieces = node.pieces.empty() ? nullptr : node.pieces.data(), one = std::int64_t(1)
                                                                                         << weighing_.finer;
  const std::size_t n = node.size(), K = n_classes_;
  make_room(to, n);
  std::size_t i = 0, run = 0;
  while (i < n) {
    const std::uint32_t code = codes[rows[i]];
    const std::size_t begin = i;
    std::int64_t weight = 0, *classes = code ? to.classes.data() + run * K : to.missing.classes.data();
    if (K == 2) {  // in registers
      std::int64_t second = 0;
      do {
        const std::int64_t w = pieces ? pieces[i] : one;
        weight += w, second += class_of[rows[i]] ? w : 0;
      } while (++i < n && codes[rows[i]] == code);
      classes[0] = weight - second, classes[1] = second;
    } else {
      std::fill_n(classes, K, 0);
      for (; i < n && codes[rows[i]] == code; ++i) {
        const std::int64_t w = pieces ? pieces[i] : one;
        weight += w, classes[class_of[rows[i]]] += w;
      }
    }
    run = close_code(to, run, code, static_cast<std::uint32_t>(i - begin), weight);
  }
  finish(to, run);
}

template <class Code>
void Counter::count_codes(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to) {
  const std::size_t cells = (std::size_t(n_codes) + 1) * (n_classes_ + 1);
  const bool rows_only = n_classes_ && unit_weights_ && node.pieces.empty();
  const bool pieces = n_classes_ && !node.pieces.empty();
  if constexpr (sizeof(Code) == 1)
    if (cells > node.size() && (rows_only || pieces)) return count_few_rows(node, codes, to);
  if (cells > kCellsPerRow * node.size()) {
    if (rows_only) return sort_rows_by_class(node, codes, n_codes, to);
    return pieces ? sort_pieces_by_class(node, codes, n_codes, to) : count_sorted(node, codes, n_codes, to);
  }
  if (rows_only) return count_rows_by_class(node, codes, n_codes, to);
  return pieces ? count_pieces_by_class(node, codes, n_codes, to) : count_dense(node, codes, n_codes, to);
}

// Few rows and at most 255 codes: a bit for every code that occurs says which cells to read and to clean again.
void Counter::count_few_rows(const NodeRows& node, const std::uint8_t* codes, ColumnCounts& to) {
  const std::size_t K = n_classes_, stride = K + 1, n_rows = node.size();
  if (clean_.size() < 256 * stride) clean_.assign(256 * stride, 0);
  const std::uint16_t* class_of = weighing_.target->classes.data();
  const std::int64_t *pieces = node.pieces.empty() ? nullptr : node.pieces.data(), one = std::int64_t(1)
                                                                                         << weighing_.finer;
  std::uint64_t present[4] = {};
  for (std::size_t i = 0; i < n_rows; ++i) {
    const std::uint32_t row = node.rows[i], code = codes[row];
    std::int64_t* cell = clean_.data() + code * stride;
    ++cell[0], cell[1 + class_of[row]] += pieces ? pieces[i] : one;
    present[code >> 6] |= std::uint64_t(1) << (code & 63);
  }
  make_room(to, n_rows);
  std::size_t n = 0;
  for (std::uint32_t word = 0; word < 4; ++word) {
    for (std::uint64_t bits = present[word]; bits; bits &= bits - 1) {
      const std::uint32_t code = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      std::int64_t* cell = clean_.data() + code * stride;
      std::int64_t weight = 0, *classes = code ? to.classes.data() + n * K : to.missing.classes.data();
      for (std::size_t k = 0; k < K; ++k) weight += classes[k] = cell[1 + k];
      n = close_code(to, n, code, static_cast<std::uint32_t>(cell[0]), weight);
      std::fill_n(cell, stride, 0);
    }
  }
  finish(to, n);
}

// The common case: whole rows of weight 1. One number a cell, from which rows and weights both follow.
template <class Code>
void Counter::count_rows_by_class(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to) {
  const std::size_t K = n_classes_, cells = (std::size_t(n_codes) + 1) * K;
  if (dense_rows_.size() < 2 * cells) dense_rows_.resize(2 * cells);
  std::fill_n(dense_rows_.data(), 2 * cells, 0);
  std::uint32_t *count = dense_rows_.data(), *second = count + cells;
  const std::uint16_t* class_of = weighing_.target->classes.data();
  // Two tables in turn: neighbouring rows often fall into one cell, and an addition would wait for the one before it.
  const std::size_t n_rows = node.rows.size();
  for (std::size_t i = 0; i + 1 < n_rows; i += 2) {
    const std::uint32_t a = node.rows[i], b = node.rows[i + 1];
    ++count[std::size_t(codes[a]) * K + class_of[a]], ++second[std::size_t(codes[b]) * K + class_of[b]];
  }
  if (n_rows % 2) ++count[std::size_t(codes[node.rows[n_rows - 1]]) * K + class_of[node.rows[n_rows - 1]]];
  for (std::size_t c = 0; c < cells; ++c) count[c] += second[c];
  make_room(to, std::min<std::size_t>(n_codes, n_rows));
  std::size_t n = 0;
  for (std::uint32_t code = 0; code <= n_codes; ++code) {
    std::uint32_t rows = 0;
    for (std::size_t k = 0; k < K; ++k) rows += count[code * K + k];
    if (rows == 0) continue;
    const std::int64_t weight = std::int64_t(rows) << weighing_.finer;
    std::int64_t* classes = code ? to.classes.data() + n * K : to.missing.classes.data();
    for (std::size_t k = 0; k < K; ++k) classes[k] = std::int64_t(count[code * K + k]) << weighing_.finer;
    n = close_code(to, n, code, rows, weight);
  }
  finish(to, n);
}

// Rows cut into pieces. Rows and class weights of a code stand side by side; two tables in turn as above.
template <class Code>
void Counter::count_pieces_by_class(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to) {
  const std::size_t K = n_classes_, stride = K + 1, cells = (std::size_t(n_codes) + 1) * stride;
  if (dense_weights_.size() < 2 * cells) dense_weights_.resize(2 * cells);
  std::fill_n(dense_weights_.data(), 2 * cells, 0);
  std::int64_t *count = dense_weights_.data(), *second = count + cells;
  const std::uint16_t* class_of = weighing_.target->classes.data();
  const std::uint32_t* rows = node.rows.data();
  const std::int64_t* pieces = node.pieces.data();
  const std::size_t n_rows = node.size();
  auto add = [&](std::int64_t* table, std::size_t i) {
    std::int64_t* cell = table + codes[rows[i]] * stride;
    ++cell[0], cell[1 + class_of[rows[i]]] += pieces[i];
  };
  for (std::size_t i = 0; i + 1 < n_rows; i += 2) add(count, i), add(second, i + 1);
  if (n_rows % 2) add(count, n_rows - 1);
  for (std::size_t c = 0; c < cells; ++c) count[c] += second[c];
  make_room(to, std::min<std::size_t>(n_codes, n_rows));
  std::size_t n = 0;
  for (std::uint32_t code = 0; code <= n_codes; ++code) {
    const std::int64_t* cell = count + code * stride;
    if (cell[0] == 0) continue;
    std::int64_t* classes = code ? to.classes.data() + n * K : to.missing.classes.data();
    std::int64_t weight = 0;
    for (std::size_t k = 0; k < K; ++k) weight += classes[k] = cell[1 + k];
    n = close_code(to, n, code, static_cast<std::uint32_t>(cell[0]), weight);
  }
  finish(to, n);
}

template <class Code>
void Counter::count_dense(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to) {
  const std::size_t K = n_classes_, size = std::size_t(n_codes) + 1;
  dense_rows_.assign(size, 0);
  if (K)
    dense_weights_.assign(size * K, 0);
  else
    dense_numbers_.assign(size, {});
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::uint32_t row = node.rows[i], code = codes[row];
    const std::int64_t w = node.pieces.empty() ? weighing_.weight_of(row) : node.pieces[i];
    ++dense_rows_[code];
    if (K)
      dense_weights_[code * K + weighing_.target->classes[row]] += w;
    else
      dense_numbers_[code].add(w, weighing_.level_of(row));
  }
  make_room(to, std::min<std::size_t>(n_codes, node.size()));
  std::size_t n = 0;
  for (std::uint32_t code = 0; code < size; ++code) {
    if (dense_rows_[code] == 0) continue;
    Cell cell = code ? cell_of(to, n) : missing_of(to);
    if (code) to.codes[n++] = code;
    *cell.rows = dense_rows_[code];
    if (!K) *cell.numbers = dense_numbers_[code], *cell.weight = dense_numbers_[code].weight;
    for (std::size_t k = 0; k < K; ++k) {
      cell.classes[k] = dense_weights_[code * K + k];
      *cell.weight += dense_weights_[code * K + k];
    }
  }
  finish(to, n);
}

// Few rows and many codes: sort the rows by their code, then add up runs.
template <class Code>
void Counter::count_sorted(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to) {
  const std::uint64_t* sorted = sort_rows(node, codes, n_codes, [](std::size_t i) { return i; });
  add_runs({sorted, node.size()}, to, [&](std::uint32_t i) {
    const std::uint32_t row = node.rows[i];
    return std::pair(row, node.pieces.empty() ? weighing_.weight_of(row) : node.pieces[i]);
  });
}

void Counter::count_list(std::span<const std::uint64_t> list, ColumnCounts& to) {
  start(to);
  add_runs(list, to, [&](std::uint32_t row) { return std::pair(row, weighing_.weight_of(row)); });
}

// Adds up the runs of equal codes. row_at gives the row and its weight that the lower half of a word stands for.
template <class RowAt>
void Counter::add_runs(std::span<const std::uint64_t> sorted, ColumnCounts& to, RowAt row_at) {
  make_room(to, sorted.size());
  Cell cell = missing_of(to);
  std::size_t n = 0;
  std::uint32_t last = 0;
  for (const std::uint64_t word : sorted) {
    const auto code = static_cast<std::uint32_t>(word >> 32);
    if (code != last) {
      last = code;
      cell = cell_of(to, n);
      to.codes[n++] = code;
    }
    const auto [row, w] = row_at(static_cast<std::uint32_t>(word));
    ++*cell.rows, *cell.weight += w;
    if (n_classes_)
      cell.classes[weighing_.target->classes[row]] += w;
    else
      cell.numbers->add(w, weighing_.level_of(row));
  }
  finish(to, n);
}

// The code of every row, and what belongs to its place in the node, by code. Rows that lie in the order of the column
// need no sorting.
template <class Code, class Carried>
const std::uint64_t* Counter::sort_rows(const NodeRows& node, const Code* codes, std::uint32_t n_codes,
                                        Carried&& carried) {
  const std::size_t n = node.size();
  if (words_.size() < n) words_.resize(n), other_words_.resize(n);
  bool ascending = true;
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t code = codes[node.rows[i]];
    ascending &= code >= last;
    last = code;
    words_[i] = std::uint64_t(code) << 32 | carried(i);
  }
  return ascending ? words_.data() : radix_sort(words_.data(), other_words_.data(), n, bits_for(n_codes));
}

// The same for whole rows of weight 1: the class travels with the code, so nothing is looked up after the sort.
template <class Code>
void Counter::sort_rows_by_class(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to) {
  const std::size_t n = node.size(), K = n_classes_;
  const std::uint16_t* class_of = weighing_.target->classes.data();
  const std::uint64_t* sorted =
      sort_rows(node, codes, n_codes, [&](std::size_t i) { return std::uint64_t(class_of[node.rows[i]]); });
  const std::int64_t one = std::int64_t(1) << weighing_.finer;
  std::size_t j = 0, run = 0;
  for (; j < n && sorted[j] >> 32 == 0; ++j) {
    ++to.missing.rows, to.missing.weight += one;
    to.missing.classes[static_cast<std::uint32_t>(sorted[j])] += one;
  }
  make_room(to, n - j);
  for (; j < n; ++run) {
    const auto code = static_cast<std::uint32_t>(sorted[j] >> 32);
    const std::size_t begin = j;
    std::fill_n(to.classes.data() + run * K, K, 0);
    for (; j < n && sorted[j] >> 32 == code; ++j) to.classes[run * K + static_cast<std::uint32_t>(sorted[j])] += one;
    to.codes[run] = code, to.rows[run] = static_cast<std::uint32_t>(j - begin);
    to.weight[run] = static_cast<std::int64_t>(j - begin) * one;
  }
  finish(to, run);
}

// And for rows cut into pieces: the class is looked up on the way into the sort, the piece on the way out.
template <class Code>
void Counter::sort_pieces_by_class(const NodeRows& node, const Code* codes, std::uint32_t n_codes, ColumnCounts& to) {
  constexpr int kPlaceBits = 32 - 16;  // of a word's lower half; classes take the other 16
  const std::size_t n = node.size(), K = n_classes_;
  if (n >= std::size_t(1) << kPlaceBits) return count_sorted(node, codes, n_codes, to);
  const std::uint16_t* class_of = weighing_.target->classes.data();
  const std::uint64_t* sorted =
      sort_rows(node, codes, n_codes, [&](std::size_t i) { return std::uint64_t(i) << 16 | class_of[node.rows[i]]; });
  const std::int64_t* pieces = node.pieces.data();
  make_room(to, n);
  std::size_t j = 0, run = 0;
  while (j < n) {
    const auto code = static_cast<std::uint32_t>(sorted[j] >> 32);
    const std::size_t begin = j;
    std::int64_t weight = 0, *classes = code ? to.classes.data() + run * K : to.missing.classes.data();
    std::fill_n(classes, K, 0);
    for (; j < n && sorted[j] >> 32 == code; ++j) {
      const std::int64_t piece = pieces[static_cast<std::uint32_t>(sorted[j]) >> 16];
      weight += piece, classes[sorted[j] & 0xffff] += piece;
    }
    run = close_code(to, run, code, static_cast<std::uint32_t>(j - begin), weight);
  }
  finish(to, run);
}

// A code whose classes are counted: the n-th known one, or missing. Gives the number of known codes so far.
std::size_t Counter::close_code(ColumnCounts& to, std::size_t n, std::uint32_t code, std::uint32_t rows,
                                std::int64_t weight) {
  if (code == 0) {
    to.missing.rows = rows, to.missing.weight = weight;
    return n;
  }
  to.codes[n] = code, to.rows[n] = rows, to.weight[n] = weight;
  return n + 1;
}

void Counter::start(ColumnCounts& to) const {
  to.n_classes = n_classes_;
  auto clear = [&](Sums& sums) {
    sums.rows = 0, sums.weight = 0, sums.numbers = {}, sums.full = 0;
    sums.classes.assign(n_classes_, 0);
  };
  clear(to.missing), clear(to.known);
}

// For at most n codes; what lies there is of no meaning.
void Counter::make_room(ColumnCounts& to, std::size_t n) const {
  if (to.codes.size() >= n) return;
  to.codes.resize(n), to.rows.resize(n), to.weight.resize(n), to.classes.resize(n * n_classes_);
  to.numbers.resize(n_classes_ ? 0 : n);
}

// A new code, without any row.
Counter::Cell Counter::cell_of(ColumnCounts& to, std::size_t i) const {
  to.rows[i] = 0, to.weight[i] = 0;
  for (std::size_t k = 0; k < n_classes_; ++k) to.classes[i * n_classes_ + k] = 0;
  if (!n_classes_) to.numbers[i] = {};
  return {&to.rows[i], &to.weight[i], to.classes.data() + i * n_classes_, n_classes_ ? nullptr : &to.numbers[i]};
}

Counter::Cell Counter::missing_of(ColumnCounts& to) const {
  return {&to.missing.rows, &to.missing.weight, to.missing.classes.data(), &to.missing.numbers};
}

// n codes were found; they add up to `known`.
void Counter::finish(ColumnCounts& to, std::size_t n) const {
  to.codes.resize(n), to.rows.resize(n), to.weight.resize(n), to.classes.resize(n * n_classes_);
  if (!n_classes_) to.numbers.resize(n);
  Sums& known = to.known;
  for (std::size_t i = 0; i < n; ++i) known.rows += to.rows[i], known.weight += to.weight[i];
  for (std::size_t i = 0; i < to.numbers.size(); ++i) known.numbers += to.numbers[i];
  if (n_classes_ == 2) {  // the second class follows from the weights
    std::int64_t first = 0;
    for (std::size_t i = 0; i < n; ++i) first += to.classes[2 * i];
    known.classes = {first, known.weight - first};
    return;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < n_classes_; ++k) known.classes[k] += to.classes[i * n_classes_ + k];
}

}  // namespace tw
