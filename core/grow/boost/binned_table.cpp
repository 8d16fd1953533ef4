#include "grow/boost/binned_table.hpp"

#include <algorithm>  // for clamp, lower_bound, max_element, min, sort, stable_sort
#include <limits>     // for numeric_limits
#include <numeric>    // for accumulate

#include "base/radix_sort.hpp"
#include "grow/threshold_value.hpp"
#include "table/ranks.hpp"

namespace tw {

namespace {

constexpr std::size_t kRowBlock = 4096;

// A bin of fewer rows says more about these than about the column.
constexpr std::size_t kRowsOfABin = 3;

// Buckets of a raw column of a small table, which has none: runs of the rows that are learnt from.
std::vector<std::uint8_t> find_buckets(const Column& column, std::size_t n_rows, std::span<const std::uint32_t> rows,
                                       std::uint32_t& n_buckets) {
  RadixScratch known;
  column.visit_keys([&](auto key_of) {
    for (const std::uint32_t row : rows)
      if (const std::uint32_t key = key_of(row)) known.words.push_back(static_cast<std::uint64_t>(key) << 32 | row);
  });
  const std::size_t n = known.words.size();
  known.other.resize(n);
  const std::uint64_t* sorted = radix_sort(known.words.data(), known.other.data(), n, 32);
  const std::size_t most = std::clamp<std::size_t>(n / kRowsOfABin, 2, kBins - 1);
  std::vector<std::uint64_t> last_key;  // of each bucket but the last
  for (std::size_t k = 1; k < most && n > 0; ++k)
    if (const std::uint64_t key = sorted[n * k / most] >> 32; last_key.empty() || last_key.back() < key)
      last_key.push_back(key);
  n_buckets = static_cast<std::uint32_t>(last_key.size()) + 1;
  std::vector<std::uint8_t> buckets(n_rows);
  for (std::size_t i = 0, at = 0; i < n; ++i) {
    while (at < last_key.size() && sorted[i] >> 32 > last_key[at]) ++at;
    buckets[static_cast<std::uint32_t>(sorted[i])] = static_cast<std::uint8_t>(at + 1);
  }
  return buckets;
}

// Joins neighbouring codes into at most max_bins runs of about equal numbers of rows.
void join_codes(BinnedColumn& to, std::size_t n_rows, std::uint32_t max_bins, Peers& peers) {
  std::vector<std::int64_t> count(to.n_bins + 1);
  for (std::size_t row = 0; row < n_rows; ++row) ++count[to.narrow[row]];
  peers.add(count);
  std::int64_t left = std::accumulate(count.begin() + 1, count.end(), std::int64_t{0}), taken = 0;
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

// Leaves out the bins without a row that is learnt from. A cut after such a bin would have the threshold of the next
// one, and so a row would go one way while the tree is grown, and the other way when it is asked.
void drop_empty_bins(BinnedColumn& to, std::span<const std::uint32_t> rows, std::size_t n_rows, Peers& peers) {
  std::vector<std::int64_t> used(to.n_bins + 1, 0);
  for (const std::uint32_t row : rows) used[to.code(row)] = 1;
  peers.add(used);
  std::vector<std::uint32_t> bin_of(to.n_bins + 1, 0);
  std::uint32_t n_bins = 0;
  for (std::uint32_t code = 1; code <= to.n_bins; ++code)
    if (used[code]) bin_of[code] = ++n_bins;
  if (n_bins == to.n_bins) return;
  if (to.narrow) {
    std::vector<std::uint8_t> narrow(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) narrow[row] = static_cast<std::uint8_t>(bin_of[to.narrow[row]]);
    to.own_narrow = std::move(narrow), to.narrow = to.own_narrow.data();
  } else {
    for (std::uint32_t& code : to.wide) code = bin_of[code];
  }
  to.n_bins = n_bins;
}

// Thresholds from the lowest and the highest value of each bin among the rows that are learnt from.
void find_cuts(const Column& column, BinnedColumn& to, std::span<const std::uint32_t> rows, Peers& peers) {
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
  for (double& x : low) x = -x;
  peers.take_largest(low), peers.take_largest(high);
  for (double& x : low) x = -x;
  to.cut.assign(to.n_bins + 1, kInfinity);
  for (std::uint32_t bin = 1; bin < to.n_bins; ++bin)
    to.cut[bin] = column.kind == Kind::ordinal ? high[bin] : midpoint(high[bin], low[bin + 1]);
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
                BinnedColumn& to, Peers& peers) {
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
  if (column.kind != Kind::nominal && max_bins != 0 && to.n_bins > max_bins) join_codes(to, n_rows, max_bins, peers);
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
                        std::span<const std::uint32_t> held_out, std::uint32_t max_bins, Workers& workers,
                        Peers& peers) {
  BinnedTable binned;
  binned.peers = &peers;
  binned.n_rows = table.n_rows;
  binned.columns.resize(table.columns.size());
  const auto bin = [&](std::size_t c, int) {
    bin_column(table.columns[c], table.n_rows, rows, max_bins, binned.columns[c], peers);
    if (!table.columns[c].ordered()) return;
    drop_empty_bins(binned.columns[c], rows, table.n_rows, peers);
    find_cuts(table.columns[c], binned.columns[c], rows, peers);
    if (!held_out.empty() && binned.columns[c].n_bins > 0)
      bin_by_cuts(table.columns[c], binned.columns[c], held_out, table.n_rows);
  };
  if (peers.any())  // in the same order for all of them
    for (std::size_t c = 0; c < table.columns.size(); ++c) bin(c, 0);
  else
    workers.run(table.columns.size(), bin);
  binned.columns_given = binned.columns.size();
  return binned;
}

void lay_out_rows(BinnedTable& table, Workers& workers) {
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(table.columns.size()); ++c) {
    BinnedColumn& column = table.columns[c];
    column.turn = column.stands_for < 0 ? 2 * c + 1 : 2 * column.stands_for;
    (column.is_narrow() ? table.narrow_columns : table.wide_columns).push_back(c);
  }
  std::stable_sort(table.narrow_columns.begin(), table.narrow_columns.end(),
                   [&](auto a, auto b) { return table.columns[a].n_bins > table.columns[b].n_bins; });
  table.place_in_matrix.assign(table.columns.size(), -1);
  for (std::size_t place = 0; place < table.narrow_columns.size(); ++place) {
    const std::int32_t column = table.narrow_columns[place];
    table.place_in_matrix[column] = static_cast<std::int32_t>(place);
    if (place % kTogether == 0) {
      table.groups.push_back({static_cast<std::uint32_t>(table.histogram_size), table.columns[column].n_bins + 1});
      table.groups.back().first_turn = table.columns[column].turn;
      table.histogram_size += std::size_t{kTogether} * (table.columns[column].n_bins + 1);
    }
    ColumnGroup& group = table.groups.back();
    group.column[place % kTogether] = column;
    group.first_turn = std::min(group.first_turn, table.columns[column].turn);
    if (table.columns[column].kind != Kind::nominal) group.ordered |= 1 << place % kTogether;
  }
  fill_matrix(table, workers);
  table.joint.find_sets(table, workers);
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

void LevelCodes::code(std::uint32_t output, std::span<const WideWord> words, const Units& units, Workers& workers) {
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

LevelCodes::Codes LevelCodes::find_codes(const BinnedColumn& levels, std::span<const WideWord> words,
                                         const Units& units) const {
  constexpr std::size_t kStride = kParts + 1;
  const std::size_t n_levels = levels.n_bins;
  std::vector<LevelSum> parts((n_levels + 1) * kStride), whole(n_levels + 1);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    LevelSum& sum = parts[levels.wide[rows_[i]] * kStride + part_[rows_[i]]];
    sum = sum + sum_of(words[rows_[i]], WordLayout::wide());
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
