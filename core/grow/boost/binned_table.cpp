#include "grow/boost/binned_table.hpp"

#include <algorithm>  // for lower_bound, max_element, min
#include <limits>     // for numeric_limits

#include "encode/bucket_finder.hpp"
#include "grow/threshold_value.hpp"
#include "table/ranks.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowBlock = 4096;

// Buckets of a raw column of a small table, which has none: runs of the rows that are learnt from.
std::vector<std::uint8_t> find_buckets(const Column& column, std::size_t n_rows, std::span<const std::uint32_t> rows,
                                       std::uint32_t& n_buckets) {
  std::vector<std::uint32_t> known;
  std::vector<std::uint8_t> buckets(n_rows);
  column.visit_keys([&](auto key_of) {
    for (const std::uint32_t row : rows)
      if (const std::uint32_t key = key_of(row)) known.push_back(key);
    if (known.empty()) known.push_back(1);
    const BucketFinder finder(std::move(known));
    n_buckets = finder.n_buckets();
    for (std::size_t row = 0; row < n_rows; ++row) buckets[row] = finder.find(key_of(row));
  });
  return buckets;
}

// Joins neighbouring codes into at most max_bins runs of about equal numbers of rows.
void join_codes(BinnedColumn& to, std::size_t n_rows, std::uint32_t max_bins) {
  std::vector<std::size_t> count(to.n_bins + 1);
  for (std::size_t row = 0; row < n_rows; ++row) ++count[to.narrow[row]];
  std::size_t left = n_rows - count[0], taken = 0;
  std::vector<std::uint8_t> bin_of(to.n_bins + 1, 0);
  std::uint32_t bin = 1;
  for (std::uint32_t code = 1; code <= to.n_bins; ++code) {
    bin_of[code] = static_cast<std::uint8_t>(bin);
    taken += count[code];
    if (bin < max_bins && taken * (max_bins - bin + 1) >= left) left -= taken, taken = 0, ++bin;
  }
  const std::uint8_t* from = to.narrow;
  std::vector<std::uint8_t> joined(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) joined[row] = bin_of[from[row]];
  to.own_narrow = std::move(joined), to.narrow = to.own_narrow.data();
  to.n_bins = *std::max_element(bin_of.begin(), bin_of.end());
}

// Thresholds from the lowest and the highest value of each bin among the rows that are learnt from.
void find_cuts(const Column& column, BinnedColumn& to, std::span<const std::uint32_t> rows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> low(to.n_bins + 1, kInfinity), high(to.n_bins + 1, -kInfinity);
  const auto look = [&](auto value_of) {
    for (const std::uint32_t row : rows) {
      const std::uint32_t code = to.code(row);
      const double x = value_of(row);  // NaN changes nothing
      low[code] = x < low[code] ? x : low[code];
      high[code] = x > high[code] ? x : high[code];
    }
  };
  if (column.values.data && column.values.type == NumberType::f32 && !column.values.missing)
    look([&](std::size_t row) { return static_cast<double>(column.values.load<float>(row)); });
  else
    look([&](std::size_t row) { return column.value(row); });
  to.cut.assign(to.n_bins + 1, kInfinity);
  double next = kInfinity;  // the lowest value of the bins above
  for (std::uint32_t bin = to.n_bins; bin > 0; --bin) {
    if (low[bin] > high[bin] || next == kInfinity)
      to.cut[bin] = bin < to.n_bins ? to.cut[bin + 1] : kInfinity;
    else
      to.cut[bin] = column.kind == Kind::ordinal ? high[bin] : midpoint(high[bin], next);
    if (low[bin] <= high[bin]) next = low[bin];
  }
}

void take_ranks(const Column& column, std::size_t n_rows, BinnedColumn& to) {
  const RankedColumn ranked = rank_column(column, n_rows);
  to.n_bins = ranked.n_codes;
  ranked.visit_codes([&](const auto* codes) {
    if (ranked.width == 1)
      to.own_narrow.assign(codes, codes + n_rows), to.narrow = to.own_narrow.data();
    else
      to.wide.assign(codes, codes + n_rows);
  });
}

void bin_column(const Column& column, std::size_t n_rows, std::span<const std::uint32_t> rows, std::uint32_t max_bins,
                BinnedColumn& to) {
  to.kind = column.kind;
  if ((column.kind == Kind::nominal && column.n_codes >= kBins) || (max_bins == 0 && !column.is_coded))
    return take_ranks(column, n_rows, to);
  if (column.is_coded) {
    to.n_bins = column.n_codes, to.narrow = column.codes8.data();
  } else if (!column.buckets.empty()) {
    to.n_bins = column.n_buckets, to.narrow = column.buckets.data();
  } else {
    to.own_narrow = find_buckets(column, n_rows, rows, to.n_bins), to.narrow = to.own_narrow.data();
  }
  if (column.kind != Kind::nominal && max_bins != 0 && to.n_bins > max_bins) join_codes(to, n_rows, max_bins);
}

// Rows that are not learnt from may lie between the values of two bins: the threshold there decides.
void bin_by_cuts(const Column& column, BinnedColumn& to, std::span<const std::uint32_t> rows, std::size_t n_rows) {
  if (to.narrow && to.own_narrow.empty()) to.own_narrow.assign(to.narrow, to.narrow + n_rows);
  if (to.narrow) to.narrow = to.own_narrow.data();
  for (const std::uint32_t row : rows) {
    const double x = column.value(row);
    if (x != x) continue;
    const auto bin = std::lower_bound(to.cut.begin() + 1, to.cut.end() - 1, x) - to.cut.begin();
    to.narrow ? to.own_narrow[row] = static_cast<std::uint8_t>(bin) : to.wide[row] = static_cast<std::uint32_t>(bin);
  }
}

void fill_matrix(BinnedTable& table, Workers& workers) {
  const std::size_t d = table.narrow_columns.size();
  table.matrix.resize(table.n_rows * d + 64);  // vectors may read beyond the last row
  workers.run((table.n_rows + kRowBlock - 1) / kRowBlock, [&](std::size_t block, int) {
    const std::size_t begin = block * kRowBlock, end = std::min(table.n_rows, begin + kRowBlock);
    for (std::size_t c = 0; c < d; ++c) {
      const std::uint8_t* from = table.columns[table.narrow_columns[c]].narrow;
      std::uint8_t* to = table.matrix.data() + c;
      for (std::size_t row = begin; row < end; ++row) to[row * d] = from[row];
    }
  });
}

}  // namespace

BinnedTable bin_columns(const Table& table, std::span<const std::uint32_t> rows,
                        std::span<const std::uint32_t> held_out, std::uint32_t max_bins, Workers& workers) {
  BinnedTable binned;
  binned.n_rows = table.n_rows;
  binned.columns.resize(table.columns.size());
  workers.run(table.columns.size(), [&](std::size_t c, int) {
    bin_column(table.columns[c], table.n_rows, rows, max_bins, binned.columns[c]);
    if (!table.columns[c].ordered()) return;
    find_cuts(table.columns[c], binned.columns[c], rows);
    if (!held_out.empty() && binned.columns[c].n_bins > 0)
      bin_by_cuts(table.columns[c], binned.columns[c], held_out, table.n_rows);
  });
  binned.columns_given = binned.columns.size();
  return binned;
}

void lay_out_rows(BinnedTable& table, Workers& workers) {
  table.place_in_matrix.assign(table.columns.size(), -1);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool narrow = table.columns[c].is_narrow();
    if (narrow) table.place_in_matrix[c] = static_cast<std::int32_t>(table.narrow_columns.size());
    (narrow ? table.narrow_columns : table.wide_columns).push_back(static_cast<std::int32_t>(c));
  }
  fill_matrix(table, workers);
}

}  // namespace tw
