#include "grow/forest/growing_from_codes.hpp"

#include <algorithm>  // for copy_n, find, max
#include <limits>     // for numeric_limits

#include "grow/forest/all_pairs.hpp"
#include "grow/threshold_value.hpp"

namespace tw {

void GrowingFromCodes::make_room() {
  codes_of_node_.resize(rows_.size() + kSlack), codes_of_best_.resize(rows_.size() + kSlack);
}

void GrowingFromCodes::forget_block() {
  block_end_ = 0;
  view_ = {codes_.codes.data(), codes_.n_columns, 1};
}

// Most of the rows: column by column they lie close together.
void GrowingFromCodes::choose_view(const Pending& node) {
  if (std::size_t{node.n} * 8 >= codes_.n_rows && codes_.n_rows < 1u << 31)
    view_ = {codes_.by_column.data(), 1, codes_.n_rows};
  else
    view_ = {codes_.codes.data(), codes_.n_columns, 1};
}

void GrowingFromCodes::fetch_codes(std::int32_t column, const std::uint32_t* rows, std::uint32_t n) {
  if (column == kept_) return std::swap(codes_of_node_, codes_of_best_);
  const auto wanted = static_cast<std::uint32_t>(column);
  const auto k = static_cast<std::size_t>(std::find(together_.begin(), together_.end(), wanted) - together_.begin());
  if (k == together_.size()) return view_.gather(wanted, rows, n, codes_of_node_.data());
  std::copy_n(codes_together_.data() + k * n, n, codes_of_node_.data());
}

void GrowingFromCodes::gather_together(std::uint32_t count, const std::uint32_t* rows, std::uint32_t n) {
  together_.clear();
  while (together_.size() < count) together_.push_back(draw_.next());
  codes_together_.resize(std::max<std::size_t>(codes_together_.size(), together_.size() * n + kSlack));
  view_.gather(together_, rows, n, codes_together_.data());
  ranges_.resize(together_.size());
  for (std::size_t k = 0; k < together_.size(); ++k) ranges_[k] = known_range(codes_together_.data() + k * n, n);
}

void GrowingFromCodes::mark_sides(const Pending& node, const Candidate& winner) {
  const std::uint16_t* codes = codes_of_node_.data();
  const std::uint8_t missing_second = !winner.missing_left;
  if (winner.kind == CutKind::threshold) {
    const std::uint32_t cut = winner.known_or_missing ? kMostForestCodes : winner.bucket;
    for (std::uint32_t i = 0; i < node.n; ++i)
      side_of_row_[i] = static_cast<std::uint16_t>(1 + (codes[i] ? codes[i] > cut : missing_second));
    return;
  }
  side_.assign(codes_.columns[winner.column].n_codes + 1, 1);
  for (const std::uint32_t code : winner.left_levels) side_[code] = 0;
  side_[0] = missing_second;
  for (std::uint32_t i = 0; i < node.n; ++i) side_of_row_[i] = static_cast<std::uint16_t>(1 + side_[codes[i]]);
}

void GrowingFromCodes::write_inner(const Pending& node, const Candidate& winner, double gain, bool first_is_heavier) {
  const ForestColumn& column = codes_.columns[winner.column];
  const bool by_levels = winner.kind == CutKind::levels;
  bool missing_second = !winner.missing_left;
  const bool has_missing = column.has_missing && std::find(codes_of_node_.begin(), codes_of_node_.begin() + node.n,
                                                           0) != codes_of_node_.begin() + node.n;
  if (!has_missing) missing_second = !first_is_heavier;
  write_test(by_levels ? TestKind::levels : TestKind::threshold, missing_second, winner.column, gain);
  grown_.threshold.push_back(by_levels ? std::numeric_limits<double>::quiet_NaN() : threshold(node, winner, column));
  if (by_levels) write_levels(column, codes_of_node_.data(), node.n, side_);
}

double GrowingFromCodes::threshold(const Pending& node, const Candidate& winner, const ForestColumn& column) const {
  if (winner.known_or_missing) return std::numeric_limits<double>::infinity();
  if (column.kind == Kind::ordinal) return column.highest[winner.bucket - 1];
  const CodesBeside beside = codes_beside(codes_of_node_.data(), node.n, winner.bucket);
  return threshold(column, beside.left, beside.right);
}

double GrowingFromCodes::threshold(const ForestColumn& column, std::uint32_t left_code, std::uint32_t right_code) {
  if (column.kind == Kind::ordinal) return column.highest[left_code - 1];
  return midpoint(column.highest[left_code - 1], column.lowest[right_code - 1]);
}

void GrowingFromCodes::write_cut(std::int32_t column, std::uint32_t left_code, std::uint32_t right_code, double gain,
                                 bool first_is_heavier) {
  write_test(TestKind::threshold, !first_is_heavier, column, gain);
  grown_.threshold.push_back(threshold(codes_.columns[static_cast<std::size_t>(column)], left_code, right_code));
}

}  // namespace tw
