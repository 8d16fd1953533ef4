#include "grow/forest/forest_codes.hpp"

#include <algorithm>  // for max, min, fill, sort
#include <bit>        // for bit_cast
#include <cstring>    // for memcpy
#include <numeric>    // for iota

#include "base/radix_sort.hpp"
#include "base/vectors.hpp"

namespace tw {

CodeRange known_range(const std::uint16_t* codes, std::uint32_t n) {
  return with_widest_vectors([=]() TW_INLINE_LOOP {
    std::uint16_t least_before = 0xffff, highest = 0, least = 0xffff;
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto before = static_cast<std::uint16_t>(codes[i] - 1);  // missing becomes the largest of all
      least_before = std::min(least_before, before);
      highest = std::max(highest, codes[i]);
      least = std::min(least, codes[i]);
    }
    return CodeRange{std::uint32_t{least_before} + 1, highest, least == 0};
  });
}

CodesBeside codes_beside(const std::uint16_t* codes, std::uint32_t n, std::uint32_t cut) {
  return with_widest_vectors([=]() TW_INLINE_LOOP {
    typedef std::uint16_t Shorts __attribute__((vector_size(32)));
    const auto last = static_cast<std::uint16_t>(cut);
    Shorts lefts = {}, rights = Shorts{} - 1;
    std::uint32_t i = 0;
    for (; i + 16 <= n; i += 16) {
      Shorts code;
      std::memcpy(&code, codes + i, sizeof code);
      const Shorts above = reinterpret_cast<Shorts>(code > last);
      const Shorts left = code & ~above, right = code | ~above;
      lefts = left > lefts ? left : lefts;
      rights = right < rights ? right : rights;
    }
    CodesBeside found{0, 0xffff};
    for (int lane = 0; lane < 16; ++lane)
      found = {std::max<std::uint32_t>(found.left, lefts[lane]), std::min<std::uint32_t>(found.right, rights[lane])};
    for (; i < n; ++i) {
      if (codes[i] <= last) found.left = std::max<std::uint32_t>(found.left, codes[i]);
      if (codes[i] > last) found.right = std::min<std::uint32_t>(found.right, codes[i]);
    }
    return found;
  });
}

namespace {

constexpr std::size_t kColumnsAtOnce = 16;  // codes of that many columns are made together
constexpr std::size_t kRowChunk = 2048;

// The known rows of a column: their keys as they stand, and in `words` by ascending number as (key, place).
struct SortedRows {
  std::vector<std::uint32_t> keys, rows;
  RadixScratch scratch;
  KeyRange range;
  const std::uint64_t* words = nullptr;

  std::size_t size() const { return rows.size(); }
  std::uint32_t row(std::size_t i) const { return rows[static_cast<std::uint32_t>(words[i])]; }
  std::uint32_t key(std::size_t i) const { return range.lowest + static_cast<std::uint32_t>(words[i] >> 32); }
};

void add_keys(const Column& column, std::size_t begin, std::size_t end, SortedRows& to) {
  column.visit_keys([&](auto key_of) {
    for (std::size_t row = begin; row < end; ++row)
      if (const std::uint32_t key = key_of(row)) {
        to.keys.push_back(key);
        to.rows.push_back(static_cast<std::uint32_t>(row));
      }
  });
}

// Numbers that share a key are put in order by themselves.
void settle_by_value(const Column& column, std::uint64_t* words, const SortedRows& sorted) {
  const std::size_t n = sorted.size();
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

void sort_rows(const Column& column, SortedRows& sorted) {
  const std::size_t n = sorted.size();
  sorted.scratch.words.resize(n), sorted.scratch.other.resize(n);
  if (n == 0) return;
  sorted.range = range_of(sorted.keys.data(), n);
  std::uint64_t* words = sort_keys(sorted.keys.data(), n, sorted.range, sorted.scratch);
  if (!column.exact_keys) settle_by_value(column, words, sorted);
  sorted.words = words;
}

// The numbers in ascending order. An exact key tells its number, which saves a look at the user's table.
class NumbersInOrder {
 public:
  NumbersInOrder(const Column& column, const SortedRows& sorted) : column_(column), sorted_(sorted) {
    if (column.exact_keys) return;
    values_.resize(sorted.size());
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = column.value(sorted.row(i)) + 0.0;  // −0 becomes +0
  }
  bool is_new(std::size_t i) const {
    if (i == 0) return true;
    return values_.empty() ? sorted_.words[i] >> 32 != sorted_.words[i - 1] >> 32 : values_[i] != values_[i - 1];
  }
  double operator[](std::size_t i) const {
    if (!values_.empty()) return values_[i];
    const std::uint32_t key = sorted_.key(i);
    if (!column_.values.data) return key;
    if (column_.make_key.kind == KeyKind::distance) return column_.make_key.low + (key - 1.0);
    return std::bit_cast<float>(key & 0x80000000u ? key ^ 0x80000000u : ~key);
  }

 private:
  const Column& column_;
  const SortedRows& sorted_;
  std::vector<double> values_;
};

// The numbers of a column's codes while it is being made.
struct CodeEnds {
  std::vector<double> lowest, highest;
  bool one_each = false;  // every code is one number: `lowest` says it all
};

// A new code for every number, or where there are too many, for every run of them.
void number_runs(const Column& column, const SortedRows& sorted, CodeEnds& to, std::uint16_t* codes) {
  const std::size_t n = sorted.size();
  const NumbersInOrder numbers(column, sorted);
  std::size_t n_distinct = 0, run = 0;
  for (std::size_t i = 0; i < n; ++i) n_distinct += numbers.is_new(i);
  const bool by_runs = n_distinct > kMostForestCodes;
  to.one_each = !by_runs;
  to.lowest.reserve(std::min<std::size_t>(n_distinct, kMostForestCodes));
  for (std::size_t i = 0; i < n; ++i) {
    if (numbers.is_new(i)) {
      const std::size_t next = by_runs ? i * kMostForestCodes / n + 1 : run + 1;
      if (next != run) {
        if (i > 0 && by_runs) to.highest.push_back(numbers[i - 1]);
        to.lowest.push_back(numbers[i]);
      }
      run = next;
    }
    codes[sorted.row(i)] = static_cast<std::uint16_t>(to.lowest.size());
  }
  if (n > 0 && by_runs) to.highest.push_back(numbers[n - 1]);
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

void take_codes(const Column& column, std::size_t n_rows, CodeEnds& to, std::uint16_t* codes) {
  for (std::size_t row = 0; row < n_rows; ++row) codes[row] = static_cast<std::uint16_t>(column.code(row));
  to.lowest.resize(column.n_codes);
  if (column.kind == Kind::ordinal) {
    std::iota(to.lowest.begin(), to.lowest.end(), 1.0);
  } else {
    for (std::size_t row = 0; row < n_rows; ++row)
      if (codes[row]) to.lowest[codes[row] - 1] = column.value(row) + 0.0;
  }
  to.one_each = true;
}

bool is_ranked(const Column& column) {
  const bool has_codes = column.is_coded || !column.values.data;
  return !has_codes || (column.kind == Kind::ordinal && column.n_codes > kMostForestCodes);
}

// Codes of the columns first …: by_column holds one after the other.
void code_columns(const Table& table, std::size_t first, std::size_t count, Workers& workers,
                  std::vector<ForestColumn>& to, std::vector<CodeEnds>& ends, std::uint16_t* by_column) {
  const std::size_t n = table.n_rows;
  std::vector<SortedRows> sorted(count);
  for (std::size_t begin = 0; begin < n; begin += kRowChunk)  // a matrix by rows is read once for all of them
    for (std::size_t k = 0; k < count; ++k)
      if (is_ranked(table.columns[first + k]))
        add_keys(table.columns[first + k], begin, std::min(n, begin + kRowChunk), sorted[k]);
  workers.run(count, [&](std::size_t k, int) {
    const Column& column = table.columns[first + k];
    ForestColumn& made = to[first + k];
    std::uint16_t* codes = by_column + k * n;
    made.kind = column.kind;
    made.has_missing = column.has_missing;
    if (is_ranked(column)) {
      std::fill(codes, codes + n, std::uint16_t{0});
      sort_rows(column, sorted[k]);
      number_runs(column, sorted[k], ends[k], codes);
      made.n_codes = static_cast<std::uint32_t>(ends[k].lowest.size());
      sorted[k] = {};
    } else if (!column.ordered()) {
      code_levels(column, n, made, codes);
    } else {
      take_codes(column, n, ends[k], codes);
      made.n_codes = column.n_codes;
    }
  });
}

// Room for the numbers of all columns in one place; what is not used of it is never touched.
void reserve_values(const Table& table, ForestCodes& made) {
  std::size_t most = 0;
  for (const Column& column : table.columns) {
    if (is_ranked(column)) most += 2 * std::min<std::size_t>(table.n_rows, kMostForestCodes);
    if (!is_ranked(column) && column.ordered()) most += column.n_codes;
  }
  made.values.reserve(most);
}

// Moves the numbers of some columns there.
void lay_out_values(std::vector<CodeEnds>& ends, std::size_t first, ForestCodes& made) {
  auto lay = [&](const std::vector<double>& numbers) {
    made.values.insert(made.values.end(), numbers.begin(), numbers.end());
    return std::span<const double>(made.values.data() + (made.values.size() - numbers.size()), numbers.size());
  };
  for (std::size_t k = 0; k < ends.size(); ++k) {
    ForestColumn& column = made.columns[first + k];
    column.lowest = lay(ends[k].lowest);
    column.highest = ends[k].one_each ? column.lowest : lay(ends[k].highest);
  }
}

}  // namespace

void code_levels(const Column& column, std::size_t n_rows, ForestColumn& to, std::uint16_t* codes) {
  if (column.n_codes > kMostForestCodes) return code_many_levels(column, n_rows, to, codes);
  for (std::size_t row = 0; row < n_rows; ++row) codes[row] = static_cast<std::uint16_t>(column.code(row));
  to.n_codes = column.n_codes;
}

ForestCodes code_for_forest(const Table& table, Workers& workers) {
  ForestCodes made;
  made.n_rows = table.n_rows, made.n_columns = table.columns.size();
  made.columns.resize(made.n_columns);
  made.codes.resize(made.n_rows * made.n_columns);
  const std::size_t n = made.n_rows, p = made.n_columns;
  made.by_column.resize(n * p + 1);  // gathering reads two codes at a time
  reserve_values(table, made);
  for (std::size_t first = 0; first < p; first += kColumnsAtOnce) {
    workers.checkpoint();
    const std::size_t count = std::min(kColumnsAtOnce, p - first);
    std::vector<CodeEnds> ends(count);
    code_columns(table, first, count, workers, made.columns, ends, made.by_column.data() + first * n);
    lay_out_values(ends, first, made);
    workers.run((n + kRowChunk - 1) / kRowChunk, [&](std::size_t chunk, int) {
      const std::size_t end = std::min(n, (chunk + 1) * kRowChunk);
      for (std::size_t row = chunk * kRowChunk; row < end; ++row) {
        std::uint16_t* to = made.codes.data() + row * p + first;
        for (std::size_t k = 0; k < count; ++k) to[k] = made.by_column[(first + k) * n + row];
      }
    });
  }
  return made;
}

}  // namespace tw
