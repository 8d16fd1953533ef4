#include "table/ranks.hpp"

#include <algorithm>  // for sort
#include <numeric>    // for iota

#include "base/radix_sort.hpp"

namespace tw {
namespace {

// The rows with a number, by ascending number. Keys that are exact (or as good as) are sorted as integers.
std::vector<std::uint32_t> rows_by_value(const Column& column, std::size_t n_rows) {
  std::vector<std::uint64_t> words;
  words.reserve(n_rows);
  column.visit_keys([&](auto key_of) {
    for (std::size_t row = 0; row < n_rows; ++row)
      if (const std::uint32_t key = key_of(row)) words.push_back(static_cast<std::uint64_t>(key) << 32 | row);
  });
  std::vector<std::uint64_t> other(words.size());
  const std::uint64_t* sorted = radix_sort(words.data(), other.data(), words.size(), 32);
  std::vector<std::uint32_t> rows(words.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(sorted[i]);
  if (column.exact_keys) return rows;
  for (std::size_t begin = 0; begin < rows.size();) {  // numbers that share a key are put in order by themselves
    std::size_t end = begin + 1;
    while (end < rows.size() && sorted[end] >> 32 == sorted[begin] >> 32) ++end;
    if (end - begin > 1)
      std::sort(rows.begin() + begin, rows.begin() + end, [&](auto a, auto b) {
        const double x = column.value(a), y = column.value(b);
        return x != y ? x < y : a < b;
      });
    begin = end;
  }
  return rows;
}

int width_for(std::uint32_t n_codes) { return n_codes < 256 ? 1 : n_codes < 65536 ? 2 : 4; }

void set_codes(RankedColumn& to, std::vector<std::uint32_t> codes) {
  to.width = width_for(to.n_codes);
  if (to.width == 1)
    to.codes8.assign(codes.begin(), codes.end());
  else if (to.width == 2)
    to.codes16.assign(codes.begin(), codes.end());
  else
    to.codes32 = std::move(codes);
}

void rank_numbers(const Column& column, std::size_t n_rows, RankedColumn& to) {
  const std::vector<std::uint32_t> rows = rows_by_value(column, n_rows);
  std::vector<std::uint32_t> codes(n_rows, 0);
  for (const std::uint32_t row : rows) {
    const double x = column.value(row) + 0.0;  // −0 becomes +0
    if (to.values.empty() || x != to.values.back()) to.values.push_back(x);
    codes[row] = static_cast<std::uint32_t>(to.values.size());
  }
  to.n_codes = static_cast<std::uint32_t>(to.values.size());
  set_codes(to, std::move(codes));
}

// A coded column of numbers has its ranks already; one row of each says which number it is.
void take_codes(const Column& column, std::size_t n_rows, RankedColumn& to) {
  to.n_codes = column.n_codes, to.width = column.width;
  to.codes8 = column.codes8, to.codes16 = column.codes16, to.codes32 = column.codes32;
  if (column.kind == Kind::nominal) return;
  to.values.resize(to.n_codes);
  if (column.kind == Kind::ordinal) return std::iota(to.values.begin(), to.values.end(), 1.0);
  for (std::size_t row = 0; row < n_rows; ++row)
    if (const std::uint32_t code = column.code(row)) to.values[code - 1] = column.value(row) + 0.0;
}

}  // namespace

RankedColumn rank_column(const Column& column, std::size_t n_rows) {
  RankedColumn to;
  to.kind = column.kind;
  to.has_missing = column.has_missing;
  to.numbers = column.values;
  const bool has_codes = column.is_coded || !column.values.data;  // a long ordinal scale has codes beside its buckets
  has_codes ? take_codes(column, n_rows, to) : rank_numbers(column, n_rows, to);
  return to;
}

RankedTable rank_columns(const Table& table, Workers& workers) {
  RankedTable ranked;
  ranked.n_rows = table.n_rows;
  ranked.columns.resize(table.columns.size());
  workers.run(table.columns.size(),
              [&](std::size_t c, int) { ranked.columns[c] = rank_column(table.columns[c], table.n_rows); });
  return ranked;
}

}  // namespace tw
