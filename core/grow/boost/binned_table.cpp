#include "grow/boost/binned_table.hpp"

#include <algorithm>  // for lower_bound, max_element, min, sort
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

namespace {

// Hessian of the rows without an opinion that every level is thought to have more.
constexpr double kSmoothing = 1;

// In whole units, so that levels with the same rows are equal whatever the order of these.
using LevelSum = GradientSum;

double ratio_of(const LevelSum& sum, const Units& units) {
  return static_cast<double>(sum.gradient) * units.gradient /
         (static_cast<double>(sum.hessian) * units.hessian + kSmoothing);
}

// The ratios at which levels in ascending order are cut into runs of about equal hessian.
std::vector<double> find_edges(const std::vector<LevelSum>& sums, const Units& units) {
  std::vector<std::pair<double, std::int64_t>> levels;
  double left = 0, taken = 0;
  for (const LevelSum& sum : sums)
    if (sum.hessian > 0) levels.emplace_back(ratio_of(sum, units), sum.hessian), left += double(sum.hessian);
  std::sort(levels.begin(), levels.end());
  std::vector<double> edges;  // the highest ratio of each bin but the last
  for (std::size_t i = 0; i + 1 < levels.size() && edges.size() + 2 < kBins; ++i) {
    taken += static_cast<double>(levels[i].second);
    if (levels[i].first == levels[i + 1].first) continue;
    if (taken * static_cast<double>(kBins - 1 - edges.size()) < left) continue;
    edges.push_back(levels[i].first);
    left -= taken, taken = 0;
  }
  return edges;
}

std::uint8_t bin_of(const std::vector<double>& edges, double ratio) {
  return static_cast<std::uint8_t>(std::lower_bound(edges.begin(), edges.end(), ratio) - edges.begin() + 1);
}

}  // namespace

LevelCodes::LevelCodes(BinnedTable& table, std::span<const std::uint32_t> rows, std::vector<std::uint8_t> part)
    : table_(table), rows_(rows), part_(std::move(part)) {
  for (std::size_t c = 0; c < table.columns_given; ++c) {
    if (table.columns[c].is_narrow() || table.columns[c].kind != Kind::nominal) continue;
    BinnedColumn codes;
    codes.kind = Kind::ordinal;
    codes.stands_for = static_cast<std::int32_t>(c);
    codes.n_bins = kBins - 1;
    codes.own_narrow.resize(table.n_rows);
    table.columns[c].coded_by = static_cast<std::int32_t>(table.columns.size());
    table.columns.push_back(std::move(codes));
  }
  for (BinnedColumn& column : table.columns)
    if (column.stands_for >= 0) column.narrow = column.own_narrow.data();
}

void LevelCodes::code(std::uint32_t output, std::span<const DoubleWord> words, const Units& units, Workers& workers) {
  const std::size_t first = table_.columns_given, n = table_.columns.size() - first;
  if (codes_.size() <= output) codes_.resize(output + 1, std::vector<Codes>(n));
  if (shown_ == output) return;
  workers.run(n, [&](std::size_t i, int) {
    Codes& codes = codes_[output][i];
    const BinnedColumn& levels = table_.columns[table_.columns[first + i].stands_for];
    if (codes.of_row.empty()) codes = find_codes(levels, words, units);
    take_codes(first + i, codes);
  });
  shown_ = output;
}

void LevelCodes::take_codes(std::size_t column, const Codes& codes) {
  BinnedColumn& to = table_.columns[column];
  to.own_narrow = codes.of_row, to.narrow = to.own_narrow.data();
  to.bin_of_level = codes.of_level;
  const std::size_t d = table_.narrow_columns.size();
  std::uint8_t* place = table_.matrix.data() + table_.place_in_matrix[column];
  for (std::size_t row = 0; row < table_.n_rows; ++row) place[row * d] = codes.of_row[row];
}

LevelCodes::Codes LevelCodes::find_codes(const BinnedColumn& levels, std::span<const DoubleWord> words,
                                         const Units& units) const {
  constexpr std::size_t kStride = kParts + 1;
  const std::size_t n_levels = levels.n_bins;
  std::vector<LevelSum> parts((n_levels + 1) * kStride), whole(n_levels + 1);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    LevelSum& sum = parts[levels.wide[rows_[i]] * kStride + part_[rows_[i]]];
    sum = sum + sum_of(words[rows_[i]]);
  }
  for (std::size_t l = 1; l <= n_levels; ++l)
    for (std::uint32_t p = 0; p < kParts; ++p) whole[l] = whole[l] + parts[l * kStride + p];
  const std::vector<double> edges = find_edges(whole, units);
  std::vector<std::uint8_t> code(parts.size(), 0);
  Codes codes{std::vector<std::uint8_t>(table_.n_rows), std::vector<std::uint8_t>(n_levels + 1)};
  for (std::size_t l = 1; l <= n_levels; ++l) {
    if (whole[l].hessian > 0) codes.of_level[l] = bin_of(edges, ratio_of(whole[l], units));
    code[l * kStride + kParts] = codes.of_level[l];
    for (std::uint32_t p = 0; p < kParts; ++p)
      code[l * kStride + p] = bin_of(edges, ratio_of(whole[l] - parts[l * kStride + p], units));
  }
  for (std::size_t row = 0; row < table_.n_rows; ++row)
    codes.of_row[row] = code[levels.wide[row] * kStride + part_[row]];
  return codes;
}

}  // namespace tw
