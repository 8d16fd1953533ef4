// The steps for one column: load it as doubles or floats → a 32-bit sort key where one exists (floats, integers of a
// small range), else the upper half of a 64-bit key → sort → dense ranks → buckets of about equal weight.
// Integers of a small range are ranked by counting instead of sorting.
#include "encode/rank_columns.hpp"

#include <algorithm>  // for sort, min
#include <bit>        // for bit_cast
#include <cmath>      // for isnan, trunc
#include <limits>     // for numeric_limits

#include "base/radix_sort.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowChunk = 4096;  // rows read per column in turn, so that a row-major matrix stays in cache
constexpr std::uint32_t kMaxBuckets = 255;
constexpr std::uint32_t kMissingKey = 0xffffffffu;

// Floats in an order-keeping unsigned form. −0 becomes +0; NaN never gets here.
std::uint32_t order_key(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0f);
  return bits ^ ((bits >> 31) ? 0xffffffffu : 0x80000000u);
}
std::uint64_t order_key(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
  return bits ^ ((bits >> 63) ? ~0ull : 0x8000000000000000ull);
}

// Collects the ranks in ascending order of value and turns them into codes and buckets.
class RankWriter {
 public:
  RankWriter(std::size_t n_rows, std::size_t n_known) : codes_(n_rows), n_known_(n_known) {}

  // Codes by the rows of each distinct value, in ascending order of the values.
  void write(std::uint32_t row, std::uint32_t rank) { codes_[row] = rank; }
  std::vector<std::uint32_t>& codes() { return codes_; }

  Column finish(std::uint32_t n_codes, const std::vector<std::uint32_t>& rows_of_rank) {
    Column column;
    column.n_codes = n_codes;
    column.has_missing = n_known_ < codes_.size();
    if (n_codes <= kMaxBuckets) {
      column.width = 1;
      column.codes8.assign(codes_.begin(), codes_.end());
      return column;
    }
    make_buckets(column, rows_of_rank);
    if (n_codes <= 0xffff) {
      column.width = 2;
      column.codes16.assign(codes_.begin(), codes_.end());
    } else {
      column.codes32 = std::move(codes_);
    }
    return column;
  }

 private:
  // A bucket is closed when it holds its share of the rows that are left; one heavy value may fill a bucket alone.
  void make_buckets(Column& column, const std::vector<std::uint32_t>& rows_of_rank) {
    const std::uint32_t n_codes = column.n_codes;
    std::vector<std::uint8_t> bucket_of(n_codes + 1, 0);
    std::size_t left = n_known_, in_bucket = 0;
    std::uint32_t bucket = 1;
    for (std::uint32_t rank = 1; rank <= n_codes; ++rank) {
      bucket_of[rank] = static_cast<std::uint8_t>(bucket);
      in_bucket += rows_of_rank[rank];
      const std::uint32_t buckets_left = kMaxBuckets - bucket + 1;
      const bool full = in_bucket * buckets_left >= left;
      if ((full && buckets_left > 1) || rank == n_codes) {
        column.bucket_last.push_back(rank);
        left -= in_bucket;
        in_bucket = 0;
        ++bucket;
      }
    }
    column.buckets.resize(codes_.size());
    for (std::size_t row = 0; row < codes_.size(); ++row) column.buckets[row] = bucket_of[codes_[row]];
  }

  std::vector<std::uint32_t> codes_;
  std::size_t n_known_;
};

struct Scratch {
  RadixScratch radix;
  std::vector<std::uint32_t> rows_of_rank;
};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  std::size_t n_known = 0;
  bool integers = true, floats = true;  // every known value is a whole number; fits a float exactly
};

template <class T>
Range look_at(const T* x, std::size_t n) {
  Range range;
  T low = std::numeric_limits<T>::infinity(), high = -low;
  std::size_t known = 0, whole = 0, single = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T v = x[i];
    known += v == v;
    whole += v == std::trunc(v);
    single += static_cast<T>(static_cast<float>(v)) == v;
    low = v < low ? v : low;
    high = v > high ? v : high;
  }
  range.low = low, range.high = high, range.n_known = known;
  range.integers = whole == known && known > 0 && std::isfinite(range.low) && std::isfinite(range.high);
  range.floats = single == known;
  return range;
}

// Whole numbers within a range not much larger than the table: count, then number the values that occur.
template <class T>
Column rank_by_counting(const T* x, std::size_t n, const Range& range, Scratch& scratch) {
  const auto span = static_cast<std::uint32_t>(range.high - range.low) + 1;
  std::vector<std::uint32_t> rank_of(span, 0);
  const T low = static_cast<T>(range.low);
  for (std::size_t i = 0; i < n; ++i)
    if (x[i] == x[i]) ++rank_of[static_cast<std::uint32_t>(x[i] - low)];
  auto& rows_of_rank = scratch.rows_of_rank;
  rows_of_rank.assign(1, 0);
  std::uint32_t rank = 0;
  for (auto& slot : rank_of)
    if (slot) {
      rows_of_rank.push_back(slot);
      slot = ++rank;
    }
  RankWriter writer(n, range.n_known);
  for (std::size_t i = 0; i < n; ++i)
    if (x[i] == x[i]) writer.write(static_cast<std::uint32_t>(i), rank_of[static_cast<std::uint32_t>(x[i] - low)]);
  return writer.finish(rank, rows_of_rank);
}

// Walks words sorted by value and hands out ranks; `same` says whether two neighbouring words hold one value.
template <class Same>
Column write_ranks(const std::uint64_t* sorted, std::size_t n_known, std::size_t n_rows, Scratch& scratch, Same same) {
  auto& rows_of_rank = scratch.rows_of_rank;
  rows_of_rank.assign(1, 0);
  RankWriter writer(n_rows, n_known);
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < n_known; ++i) {
    if (i == 0 || !same(sorted[i - 1], sorted[i])) {
      ++rank;
      rows_of_rank.push_back(0);
    }
    ++rows_of_rank[rank];
    writer.write(static_cast<std::uint32_t>(sorted[i]), rank);
  }
  return writer.finish(rank, rows_of_rank);
}

template <class T, class Key>
Column rank_by_sorting(const T* x, std::size_t n, const Range& range, Scratch& scratch, int key_bits, Key key) {
  auto& words = scratch.radix.words;
  words.resize(range.n_known);
  scratch.radix.other.resize(range.n_known);
  std::size_t k = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (x[i] == x[i]) words[k++] = (static_cast<std::uint64_t>(key(x[i])) << 32) | i;
  std::uint64_t* sorted = radix_sort(words.data(), scratch.radix.other.data(), k, key_bits);
  if constexpr (std::is_same_v<T, double>) {
    if (!range.floats && key_bits == 32) {  // the key was only the upper half: settle runs of equal keys by the rest
      auto row_key = [&](std::uint64_t word) { return order_key(x[static_cast<std::uint32_t>(word)]); };
      for (std::size_t a = 0, b; a < k; a = b) {
        for (b = a + 1; b < k && (sorted[b] >> 32) == (sorted[a] >> 32);) ++b;
        if (b - a > 1) std::sort(sorted + a, sorted + b, [&](auto u, auto v) { return row_key(u) < row_key(v); });
      }
      return write_ranks(sorted, k, n, scratch, [&](auto u, auto v) { return row_key(u) == row_key(v); });
    }
  }
  return write_ranks(sorted, k, n, scratch, [](auto u, auto v) { return (u >> 32) == (v >> 32); });
}

template <class T>
Column rank_column(const T* x, std::size_t n, Scratch& scratch) {
  const Range range = look_at(x, n);
  const double span = range.n_known ? range.high - range.low : 0;
  if (range.n_known == 0) return RankWriter(n, 0).finish(0, {0});
  if (range.integers && span < static_cast<double>(std::max<std::size_t>(65536, 2 * n)) && span < 4e9)
    return rank_by_counting(x, n, range, scratch);
  if (range.integers && span < 4294967295.0) {
    const double low = range.low;
    return rank_by_sorting(x, n, range, scratch, bits_for(static_cast<std::uint32_t>(span)),
                           [low](T v) { return static_cast<std::uint32_t>(static_cast<double>(v) - low); });
  }
  if constexpr (std::is_same_v<T, double>) {
    if (!range.floats)
      return rank_by_sorting(x, n, range, scratch, 32,
                             [](double v) { return static_cast<std::uint32_t>(order_key(v) >> 32); });
  }
  return rank_by_sorting(x, n, range, scratch, 32, [](T v) { return order_key(static_cast<float>(v)); });
}

bool is_narrow(NumberType type) {  // every value fits a float exactly
  return type == NumberType::f32 || type == NumberType::i8 || type == NumberType::i16 || type == NumberType::u8 ||
         type == NumberType::u16;
}

template <class T>
void load_chunk(const Values& source, std::size_t begin, std::size_t end, T* to) {
  source.visit([&](auto zero) {
    using Source = decltype(zero);
    for (std::size_t row = begin; row < end; ++row) to[row] = static_cast<T>(source.load<Source>(row));
  });
  if (source.missing)
    for (std::size_t row = begin; row < end; ++row)
      if (source.missing[row]) to[row] = std::numeric_limits<T>::quiet_NaN();
}

// Loads a batch of columns row chunk by row chunk (a row-major matrix is then read once per batch), then ranks them.
template <class T>
void rank_batch(const std::vector<Values>& sources, const std::vector<std::size_t>& batch, std::size_t n,
                Workers& workers, std::vector<Scratch>& scratch, std::vector<Column>& columns) {
  std::vector<std::vector<T>> loaded(batch.size());
  for (auto& buffer : loaded) buffer.resize(n);
  const std::size_t n_chunks = (n + kRowChunk - 1) / kRowChunk;
  workers.run(n_chunks, [&](std::size_t chunk, int) {
    const std::size_t begin = chunk * kRowChunk, end = std::min(n, begin + kRowChunk);
    for (std::size_t k = 0; k < batch.size(); ++k) load_chunk(sources[batch[k]], begin, end, loaded[k].data());
  });
  workers.run(batch.size(), [&](std::size_t k, int worker) {
    columns[batch[k]] = rank_column(loaded[k].data(), n, scratch[worker]);
    columns[batch[k]].values = sources[batch[k]];
    std::vector<T>().swap(loaded[k]);
  });
}

}  // namespace

std::vector<Column> rank_columns(const std::vector<Values>& sources, std::size_t n_rows, Workers& workers) {
  std::vector<Column> columns(sources.size());
  std::vector<Scratch> scratch(workers.size());
  std::vector<std::size_t> narrow, wide;
  const std::size_t per_batch = n_rows > 100'000 ? 8 : 64;
  auto flush = [&](std::vector<std::size_t>& batch, bool is_float) {
    if (batch.empty()) return;
    if (is_float)
      rank_batch<float>(sources, batch, n_rows, workers, scratch, columns);
    else
      rank_batch<double>(sources, batch, n_rows, workers, scratch, columns);
    batch.clear();
  };
  for (std::size_t c = 0; c < sources.size(); ++c) {
    const bool is_float = is_narrow(sources[c].type);
    auto& batch = is_float ? narrow : wide;
    batch.push_back(c);
    if (batch.size() == per_batch) flush(batch, is_float);
  }
  flush(narrow, true);
  flush(wide, false);
  return columns;
}

Column level_column(const std::int32_t* codes, std::size_t n_rows, std::uint32_t n_levels, bool ordered) {
  Column column;
  if (ordered && n_levels > kMaxBuckets) {  // long scales are searched like ranks, with buckets
    std::vector<std::uint32_t> rows_of_rank(n_levels + 1, 0);
    for (std::size_t row = 0; row < n_rows; ++row) ++rows_of_rank[codes[row]];
    RankWriter writer(n_rows, n_rows - rows_of_rank[0]);
    for (std::size_t row = 0; row < n_rows; ++row) writer.write(static_cast<std::uint32_t>(row), codes[row]);
    column = writer.finish(n_levels, rows_of_rank);
    column.kind = Kind::ordinal;
    return column;
  }
  column.kind = ordered ? Kind::ordinal : Kind::nominal;
  column.n_codes = n_levels;
  for (std::size_t row = 0; row < n_rows && !column.has_missing; ++row) column.has_missing = codes[row] == 0;
  if (n_levels <= kMaxBuckets) {
    column.width = 1;
    column.codes8.assign(codes, codes + n_rows);
  } else if (n_levels <= 0xffff) {
    column.width = 2;
    column.codes16.assign(codes, codes + n_rows);
  } else {
    column.codes32.assign(codes, codes + n_rows);
  }
  return column;
}

}  // namespace tw
