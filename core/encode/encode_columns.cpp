// For each column: look at a sample; if it shows few different values, try codes; otherwise choose a key, cut the
// sample into buckets, and give every row its bucket, chunk by chunk (a row-major matrix is then read once, not once
// per column).
#include "encode/encode_columns.hpp"

#include <algorithm>  // for any_of, max, min
#include <cmath>      // for floor
#include <memory>     // for unique_ptr
#include <span>       // for span

#include "base/error.hpp"
#include "encode/bucket_finder.hpp"
#include "encode/key_quantiles.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowChunk = 2048;
constexpr std::size_t kTogether = 8;      // columns whose codes are found together
constexpr std::size_t kSorted = 32768;    // so many keys are sorted; of more the quantiles are counted
constexpr std::size_t kFirstLook = 1024;  // rows that show whether there may be few different values

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

// Codes if there are at most 255 different numbers in the whole column, found chunk by chunk.
class Coding {
 public:
  Coding(Column& column, std::size_t n) : column_(column), codes_(n) {}

  void look_at(std::size_t begin, std::size_t end) {
    const Values& values = column_.values;
    values.visit([&](auto zero) {
      for (std::size_t row = begin; row < end && fits_; ++row) {
        const bool missing = values.missing && values.missing[row];
        const int place = missing ? 0 : few_.place(static_cast<double>(values.load<decltype(zero)>(row)));
        codes_[row] = static_cast<std::uint8_t>(place);
        has_missing_ |= place == 0;
        fits_ = place >= 0;
      }
    });
  }

  bool finish() {
    if (!fits_) return false;
    const auto rank = few_.ranks();
    for (auto& code : codes_) code = rank[code];
    column_.codes8 = std::move(codes_);
    column_.n_codes = static_cast<std::uint32_t>(few_.size());
    column_.has_missing = has_missing_;
    return true;
  }

 private:
  Column& column_;
  FewValues few_;
  std::vector<std::uint8_t> codes_;
  bool fits_ = true, has_missing_ = false;
};

// Neighbouring columns of a row-major matrix share the lines of the cache, so they are read together.
std::vector<std::uint8_t> code_columns(std::span<Column> columns, std::size_t n) {
  std::vector<std::unique_ptr<Coding>> codings(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (n <= kOneBlockRows || looks_few(sample_of(columns[c].values, n)))
      codings[c] = std::make_unique<Coding>(columns[c], n);
  for (std::size_t begin = 0; begin < n; begin += kRowChunk)
    for (const auto& coding : codings)
      if (coding) coding->look_at(begin, std::min(n, begin + kRowChunk));
  std::vector<std::uint8_t> is_coded(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) is_coded[c] = codings[c] && codings[c]->finish();
  return is_coded;
}

// Doubles and wide integers get exact keys where their values allow it, which takes a look at all of them.
void choose_key(Column& column, std::size_t n) {
  if (fits_single(column.values.type)) return;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::size_t known = 0, whole = 0, single = 0;
  column.values.visit([&](auto zero) {
    for (std::size_t row = 0; row < n; ++row) {
      if (row % kRowChunk == 0 && single < known && whole < known) return;  // neither will do, whatever comes
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

using Keys = std::vector<std::vector<std::uint32_t>>;

// The keys of all rows that have one, of columns that are read together; `keys` may have those of others.
void take_known_keys(std::span<Column* const> columns, std::size_t n, Keys& keys) {
  keys.resize(std::max(keys.size(), columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) keys[c].resize(n);
  std::vector<std::size_t> known(columns.size(), 0);
  for (std::size_t begin = 0; begin < n; begin += kRowChunk)
    for (std::size_t c = 0; c < columns.size(); ++c)
      columns[c]->visit_keys([&, to = keys[c].data()](auto key_of) {
        const std::size_t end = std::min(n, begin + kRowChunk);
        std::size_t at = known[c];
        for (std::size_t row = begin; row < end; ++row) {
          const std::uint32_t key = key_of(row);
          to[at] = key;
          at += key != 0;
        }
        known[c] = at;
      });
  for (std::size_t c = 0; c < columns.size(); ++c) keys[c].resize(known[c]);
}

BucketFinder find_buckets(const Column& column, std::size_t n, std::size_t sample) {
  std::vector<std::uint32_t> keys;
  column.visit_keys([&](auto key_of) {
    const std::size_t count = std::min(n, std::max<std::size_t>(sample, 1));
    for (std::size_t i = 0; i < count; ++i)
      if (const std::uint32_t key = key_of(i * n / count)) keys.push_back(key);
  });
  if (keys.empty()) keys.push_back(1);
  return BucketFinder::of_sample(std::move(keys));
}

using Finders = std::span<std::unique_ptr<BucketFinder>>;

// Cuts the columns that are not coded. All rows decide where `sample` says so and sorting them would take too long:
// then columns of a row-major matrix, which share the lines of the cache, are read together.
void cut_into_buckets(std::span<Column> columns, std::size_t n, std::size_t sample, Finders finders) {
  const bool counts = sample >= n && n > kSorted;
  std::vector<Column*> read;
  std::vector<std::size_t> number;
  Keys keys;
  const auto count = [&] {
    take_known_keys(read, n, keys);
    for (std::size_t i = 0; i < read.size(); ++i)
      finders[number[i]] = std::make_unique<BucketFinder>(KeyQuantiles::find(keys[i], BucketFinder::kMaxBuckets));
    read.clear(), number.clear();
  };
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].is_coded) continue;
    if (!counts) {
      finders[c] = std::make_unique<BucketFinder>(find_buckets(columns[c], n, sample));
      continue;
    }
    read.push_back(&columns[c]), number.push_back(c);
    if (columns[c].values.stride <= std::ptrdiff_t{sizeof(double)}) count();
  }
  if (!read.empty()) count();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!finders[c]) continue;
    columns[c].n_buckets = finders[c]->n_buckets();
    columns[c].buckets.resize(n);
  }
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
  for (std::size_t c = 0; c < sources.size(); ++c) columns[c].values = sources[c];
  workers.run((sources.size() + kTogether - 1) / kTogether, [&](std::size_t group, int) {
    const std::size_t first = group * kTogether, last = std::min(sources.size(), first + kTogether);
    const auto is_coded = code_columns({columns.data() + first, last - first}, n_rows);
    for (std::size_t c = first; c < last; ++c) {
      columns[c].is_coded = is_coded[c - first];
      if (columns[c].is_coded) continue;
      choose_key(columns[c], n_rows);
      if (n_rows <= kOneBlockRows) columns[c].has_missing = any_missing(columns[c].values, n_rows);
    }
    if (n_rows > kOneBlockRows)
      cut_into_buckets({columns.data() + first, last - first}, n_rows, sample,
                       Finders(finders).subspan(first, last - first));
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
  const BucketFinder finder = BucketFinder::of_sample(std::move(keys));
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
