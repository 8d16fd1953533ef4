#include "grow/boost/level_codes.hpp"

#include <algorithm>  // for lower_bound, sort

namespace tw {
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
