// For each column: look at a sample; if it shows few different values, try codes; otherwise choose a key, cut the
// sample into buckets, and give every row its bucket, chunk by chunk (a row-major matrix is then read once, not once
// per column).
#include "encode/encode_columns.hpp"

#include <algorithm>  // for any_of, min
#include <cmath>      // for floor
#include <memory>     // for unique_ptr

#include "base/error.hpp"
#include "encode/bucket_finder.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowChunk = 2048;
constexpr std::size_t kFirstLook = 1024;  // rows that show whether there may be few different values

bool fits_single(NumberType type) {
  return type == NumberType::f32 || type == NumberType::i8 || type == NumberType::i16 || type == NumberType::u8 ||
         type == NumberType::u16;
}

std::vector<double> sample_of(const Values& values, std::size_t n) {
  std::vector<double> sample;
  const std::size_t count = std::min(n, kFirstLook);
  for (std::size_t i = 0; i < count; ++i) sample.push_back(values.at(i * n / count));
  return sample;
}

bool looks_few(const std::vector<double>& sample) {
  FewValues few;
  for (double x : sample)
    if (few.place(x) < 0) return false;
  return true;
}

// Codes if there are at most 255 different numbers in the whole column.
bool try_codes(Column& column, std::size_t n) {
  FewValues few;
  std::vector<std::uint8_t> codes(n);
  for (std::size_t row = 0; row < n; ++row) {
    const int place = few.place(column.values.at(row));
    if (place < 0) return false;
    codes[row] = static_cast<std::uint8_t>(place);
    column.has_missing |= place == 0;
  }
  const auto rank = few.ranks();
  for (auto& code : codes) code = rank[code];
  column.codes8 = std::move(codes);
  column.n_codes = static_cast<std::uint32_t>(few.size());
  return true;
}

// Doubles and wide integers get exact keys where their values allow it, which takes a look at all of them.
void choose_key(Column& column, std::size_t n) {
  if (fits_single(column.values.type)) return;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::size_t known = 0, whole = 0, single = 0;
  column.values.visit([&](auto zero) {
    for (std::size_t row = 0; row < n; ++row) {
      if (column.values.missing && column.values.missing[row]) continue;
      const auto x = static_cast<double>(column.values.load<decltype(zero)>(row));
      known += x == x;
      whole += x == std::floor(x);
      single += static_cast<double>(static_cast<float>(x)) == x;
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
  });
  if (single == known) return;
  if (whole == known && high - low < 4294967000.0) {
    column.make_key = {KeyKind::distance, low};
  } else {
    column.make_key = {KeyKind::upper, 0};
    column.exact_keys = false;
  }
}

bool any_missing(const Values& values, std::size_t n) {
  if (values.missing && std::any_of(values.missing, values.missing + n, [](auto m) { return m != 0; })) return true;
  return values.visit([&](auto zero) {
    bool any = false;
    for (std::size_t row = 0; row < n; ++row) {
      const auto x = values.load<decltype(zero)>(row);
      any |= x != x;
    }
    return any;
  });
}

std::unique_ptr<BucketFinder> cut_into_buckets(Column& column, std::size_t n, std::size_t sample) {
  std::vector<std::uint32_t> keys;
  column.visit_keys([&](auto key_of) {
    const std::size_t count = std::min(n, std::max<std::size_t>(sample, 1));
    for (std::size_t i = 0; i < count; ++i)
      if (const std::uint32_t key = key_of(i * n / count)) keys.push_back(key);
  });
  if (keys.empty()) keys.push_back(1);
  auto finder = std::make_unique<BucketFinder>(std::move(keys));
  column.n_buckets = finder->n_buckets();
  column.buckets.resize(n);
  return finder;
}

// Gives the rows of a chunk their buckets; true when one of them is missing.
bool fill_chunk(Column& column, const BucketFinder& finder, std::size_t begin, std::size_t end) {
  std::uint8_t least = 255;
  std::uint8_t* to = column.buckets.data();
  column.visit_keys([&](auto key_of) {
    for (std::size_t row = begin; row < end; ++row) {
      to[row] = finder.find(key_of(row));
      least = std::min(least, to[row]);
    }
  });
  return least == 0;
}

}  // namespace

std::vector<Column> encode_numbers(const std::vector<Values>& sources, std::size_t n_rows, std::size_t sample,
                                   Workers& workers) {
  std::vector<Column> columns(sources.size());
  std::vector<std::unique_ptr<BucketFinder>> finders(sources.size());
  workers.run(sources.size(), [&](std::size_t c, int) {
    columns[c].values = sources[c];
    if (looks_few(sample_of(sources[c], n_rows)) && try_codes(columns[c], n_rows)) return;
    columns[c].is_coded = columns[c].has_missing = false;
    choose_key(columns[c], n_rows);
    if (n_rows <= kOneBlockRows)
      columns[c].has_missing = any_missing(columns[c].values, n_rows);
    else
      finders[c] = cut_into_buckets(columns[c], n_rows, sample);
  });
  if (n_rows <= kOneBlockRows) return columns;
  const std::size_t n_chunks = (n_rows + kRowChunk - 1) / kRowChunk;
  std::vector<std::vector<std::uint8_t>> missing(workers.size(), std::vector<std::uint8_t>(sources.size(), 0));
  workers.run(n_chunks, [&](std::size_t chunk, int worker) {
    const std::size_t begin = chunk * kRowChunk, end = std::min(n_rows, begin + kRowChunk);
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (finders[c] && fill_chunk(columns[c], *finders[c], begin, end)) missing[worker][c] = 1;
  });
  for (const auto& seen : missing)
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].has_missing |= seen[c] != 0;
  return columns;
}

namespace {

template <class To>
void copy_codes(const Values& codes, int base, std::size_t n_rows, std::uint32_t n_levels, std::vector<To>& to) {
  to.resize(n_rows);
  bool wrong = false;
  codes.visit([&](auto zero) {
    for (std::size_t row = 0; row < n_rows; ++row) {
      const auto code = static_cast<std::int64_t>(codes.load<decltype(zero)>(row)) + base;
      wrong |= code < 0 || code > static_cast<std::int64_t>(n_levels);
      to[row] = static_cast<To>(code);
    }
  });
  if (wrong) throw BadInput("a level code beyond the levels");
}

// A long ordinal scale is searched like numbers, by buckets.
void bucket_scale(Column& column, std::size_t n_rows) {
  std::vector<std::uint32_t> keys;
  for (std::size_t row = 0; row < n_rows; ++row)
    if (const std::uint32_t key = column.code(row)) keys.push_back(key);
  if (keys.empty()) keys.push_back(1);
  const BucketFinder finder(std::move(keys));
  column.is_coded = false;
  column.n_buckets = finder.n_buckets();
  column.buckets.resize(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) column.buckets[row] = finder.find(column.code(row));
}

}  // namespace

Column encode_levels(const Values& codes, int base, std::size_t n_rows, std::uint32_t n_levels, bool ordered) {
  Column column;
  column.kind = ordered ? Kind::ordinal : Kind::nominal;
  column.n_codes = n_levels;
  if (n_levels <= 255) {
    copy_codes(codes, base, n_rows, n_levels, column.codes8);
  } else if (n_levels <= 0xffff) {
    column.width = 2;
    copy_codes(codes, base, n_rows, n_levels, column.codes16);
  } else {
    column.width = 4;
    copy_codes(codes, base, n_rows, n_levels, column.codes32);
  }
  for (std::size_t row = 0; row < n_rows && !column.has_missing; ++row) column.has_missing = column.code(row) == 0;
  if (ordered && n_levels > 255) bucket_scale(column, n_rows);
  return column;
}

}  // namespace tw
