#include "forest/forest_codes.hpp"

#include <algorithm>  // for fill, min, sort
#include <numeric>    // for iota

#include "base/sort_keys.hpp"

namespace tw {
namespace {

constexpr std::size_t kColumnsAtOnce = 16;  // codes of that many columns are made, then laid side by side
constexpr std::size_t kRowChunk = 4096;

// The known rows by ascending number, in `words` as (anything, place in `rows`).
struct SortedRows {
  std::vector<std::uint32_t> keys, rows;
  RadixScratch scratch;
  const std::uint64_t* words = nullptr;

  std::uint32_t row(std::size_t i) const { return rows[static_cast<std::uint32_t>(words[i])]; }
};

// Numbers that share a key are put in order by themselves.
void settle_by_value(const Column& column, std::uint64_t* words, const SortedRows& sorted) {
  const std::size_t n = sorted.rows.size();
  for (std::size_t begin = 0, end; begin < n; begin = end) {
    for (end = begin + 1; end < n && words[end] >> 32 == words[begin] >> 32;) ++end;
    if (end - begin == 1) continue;
    std::sort(words + begin, words + end, [&](std::uint64_t x, std::uint64_t y) {
      const auto i = static_cast<std::uint32_t>(x), j = static_cast<std::uint32_t>(y);
      const double u = column.value(sorted.rows[i]), v = column.value(sorted.rows[j]);
      return u != v ? u < v : i < j;
    });
  }
}

void sort_rows(const Column& column, std::size_t n_rows, SortedRows& sorted) {
  sorted.keys.clear(), sorted.rows.clear();
  column.visit_keys([&](auto key_of) {
    for (std::size_t row = 0; row < n_rows; ++row)
      if (const std::uint32_t key = key_of(row)) {
        sorted.keys.push_back(key);
        sorted.rows.push_back(static_cast<std::uint32_t>(row));
      }
  });
  const std::size_t n = sorted.keys.size();
  sorted.scratch.words.resize(n), sorted.scratch.other.resize(n);
  if (n == 0) return;
  std::uint64_t* words = sort_keys(sorted.keys.data(), n, range_of(sorted.keys.data(), n), sorted.scratch);
  if (!column.exact_keys) settle_by_value(column, words, sorted);
  sorted.words = words;
}

// Which numbers open a new code: all of them, or those that begin a run.
void number_runs(const Column& column, const SortedRows& sorted, ForestColumn& to, std::uint16_t* codes) {
  const std::size_t n = sorted.rows.size();
  std::size_t n_distinct = 0;
  double last = 0;
  const bool same_key_same_number = column.exact_keys;
  auto is_new = [&](std::size_t i, double x) {
    if (i == 0) return true;
    return same_key_same_number ? sorted.words[i] >> 32 != sorted.words[i - 1] >> 32 : x != last;
  };
  std::vector<double> value(n);
  for (std::size_t i = 0; i < n; ++i) {
    value[i] = column.value(sorted.row(i)) + 0.0;  // −0 becomes +0
    n_distinct += is_new(i, value[i]);
    last = value[i];
  }
  const bool runs = n_distinct > kMostForestCodes;
  std::size_t run = 0;
  to.lowest.clear(), to.highest.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (is_new(i, value[i])) {
      const std::size_t of_place = runs ? i * kMostForestCodes / n + 1 : to.lowest.size() + 1;
      if (of_place != run) to.lowest.push_back(value[i]), to.highest.push_back(value[i]);
      run = of_place;
    }
    last = to.highest.back() = value[i];
    codes[sorted.row(i)] = static_cast<std::uint16_t>(to.lowest.size());
  }
  to.n_codes = static_cast<std::uint32_t>(to.lowest.size());
}

void code_numbers(const Column& column, std::size_t n_rows, ForestColumn& to, std::uint16_t* codes) {
  static thread_local SortedRows sorted;
  std::fill(codes, codes + n_rows, std::uint16_t{0});
  sort_rows(column, n_rows, sorted);
  number_runs(column, sorted, to, codes);
}

// Levels beyond what 16 bits can count: the most frequent ones keep a code.
void code_many_levels(const Column& column, std::size_t n_rows, ForestColumn& to, std::uint16_t* codes) {
  std::vector<std::uint32_t> count(column.n_codes + 1, 0), order(column.n_codes);
  for (std::size_t row = 0; row < n_rows; ++row) ++count[column.code(row)];
  std::iota(order.begin(), order.end(), 1u);
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return count[x] > count[y]; });
  order.resize(std::min<std::size_t>(order.size(), kMostForestCodes));
  std::sort(order.begin(), order.end());
  std::vector<std::uint16_t> code_of(column.n_codes + 1, 0);
  for (std::size_t i = 0; i < order.size(); ++i) code_of[order[i]] = static_cast<std::uint16_t>(i + 1);
  for (std::size_t row = 0; row < n_rows; ++row) {
    codes[row] = code_of[column.code(row)];
    to.has_missing |= codes[row] == 0;
  }
  to.n_codes = static_cast<std::uint32_t>(order.size());
  to.level = std::move(order);
}

void take_codes(const Column& column, std::size_t n_rows, ForestColumn& to, std::uint16_t* codes) {
  to.n_codes = column.n_codes;
  for (std::size_t row = 0; row < n_rows; ++row) codes[row] = static_cast<std::uint16_t>(column.code(row));
  if (column.kind == Kind::nominal) return;
  to.lowest.resize(to.n_codes);
  if (column.kind == Kind::ordinal) {
    std::iota(to.lowest.begin(), to.lowest.end(), 1.0);
  } else {
    for (std::size_t row = 0; row < n_rows; ++row)
      if (codes[row]) to.lowest[codes[row] - 1] = column.value(row) + 0.0;
  }
  to.highest = to.lowest;
}

void code_column(const Column& column, std::size_t n_rows, ForestColumn& to, std::uint16_t* codes) {
  to.kind = column.kind;
  to.has_missing = column.has_missing;
  to.n_levels = column.kind == Kind::nominal ? column.n_codes : 0;
  const bool has_codes = column.is_coded || !column.values.data;
  if (!has_codes || (column.kind == Kind::ordinal && column.n_codes > kMostForestCodes))
    code_numbers(column, n_rows, to, codes);
  else if (column.n_codes > kMostForestCodes)
    code_many_levels(column, n_rows, to, codes);
  else
    take_codes(column, n_rows, to, codes);
}

}  // namespace

ForestCodes code_for_forest(const Table& table, Workers& workers) {
  ForestCodes made;
  made.n_rows = table.n_rows, made.n_columns = table.columns.size();
  made.columns.resize(made.n_columns);
  made.codes.resize(made.n_rows * made.n_columns);
  const std::size_t n = made.n_rows, p = made.n_columns;
  std::vector<std::uint16_t> some(n * std::min(kColumnsAtOnce, p));
  for (std::size_t first = 0; first < p; first += kColumnsAtOnce) {
    const std::size_t count = std::min(kColumnsAtOnce, p - first);
    workers.run(count, [&](std::size_t k, int) {
      workers.checkpoint();
      code_column(table.columns[first + k], n, made.columns[first + k], some.data() + k * n);
    });
    workers.run((n + kRowChunk - 1) / kRowChunk, [&](std::size_t chunk, int) {
      const std::size_t end = std::min(n, (chunk + 1) * kRowChunk);
      for (std::size_t row = chunk * kRowChunk; row < end; ++row) {
        std::uint16_t* to = made.codes.data() + row * p + first;
        for (std::size_t k = 0; k < count; ++k) to[k] = some[k * n + row];
      }
    });
  }
  return made;
}

}  // namespace tw
