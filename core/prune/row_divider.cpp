#include "prune/row_divider.hpp"

#include <algorithm>  // for all_of, copy, max_element, min
#include <cmath>      // for llround
#include <limits>     // for numeric_limits

#include "grow/tables/divide_node.hpp"
#include "predict/walk.hpp"

namespace tw {

Segment RowDivider::add(std::span<const std::uint32_t> rows) {
  const Segment segment{rows_.size(), rows_.size() + rows.size()};
  for (const std::uint32_t row : rows) rows_.push_back(row), weights_.push_back(weighing_.weight_of(row));
  return segment;
}

// A coded column has few codes: the branch of each is looked up once.
bool RowDivider::look_up_codes(std::int32_t test, Segment segment) {
  const std::int32_t c = tree_.column[test];
  const Column& column = table_.columns[c];
  const auto kind = static_cast<TestKind>(tree_.kind[test]);
  if (kind == TestKind::hyperplane || !tree_.surrogates.empty() || !column.is_coded || column.width != 1 ||
      column.n_codes > 2 * segment.size())
    return false;
  branch_of_code_.assign(column.n_codes + 1, tree_.missing_branch[test]);
  if (kind == TestKind::levels) {
    for (auto k = tree_.level_start[test]; k < tree_.level_start[test + 1]; ++k)
      branch_of_code_[tree_.level[k]] = tree_.level_branch[k];
  } else {
    const std::vector<double>& values = values_of_codes(c);
    for (std::uint32_t code = 1; code <= column.n_codes; ++code)
      branch_of_code_[code] = !(values[code] <= tree_.threshold[test]);
  }
  for (std::size_t i = 0; i < route_.size(); ++i) route_[i] = branch_of_code_[column.codes8[rows_[segment.begin + i]]];
  return true;
}

const std::vector<double>& RowDivider::values_of_codes(std::int32_t c) {
  const Column& column = table_.columns[c];
  std::vector<double>& values = values_of_codes_[c];
  if (values.empty()) {
    values.assign(column.n_codes + 1, std::numeric_limits<double>::quiet_NaN());
    std::uint32_t found = 0;
    for (std::size_t row = 0; row < table_.n_rows && found < column.n_codes; ++row)
      if (const std::uint32_t code = column.code(row); code && values[code] != values[code])
        values[code] = column.value(row), ++found;
  }
  return values;
}

// A threshold on numbers that stand where the user has them.
bool RowDivider::compare_numbers(std::int32_t test, Segment segment) {
  const Values& values = table_.columns[tree_.column[test]].values;
  if (static_cast<TestKind>(tree_.kind[test]) != TestKind::threshold || !tree_.surrogates.empty() || !values.data ||
      values.missing)
    return false;
  const double threshold = tree_.threshold[test];
  const std::int32_t missing = tree_.missing_branch[test];
  values.visit([&](auto zero) {
    for (std::size_t i = 0; i < route_.size(); ++i) {
      const auto x = static_cast<double>(values.load<decltype(zero)>(rows_[segment.begin + i]));
      route_[i] = x == x ? x > threshold : missing;
    }
  });
  return true;
}

void RowDivider::find_routes(std::int32_t test, Segment segment) {
  route_.resize(segment.size());
  if (!look_up_codes(test, segment) && !compare_numbers(test, segment)) {
    for (std::size_t i = 0; i < route_.size(); ++i)
      route_[i] = branch_of_row(tree_, test, [&, row = rows_[segment.begin + i]](std::int32_t column) {
        return table_.columns[column].value(row);
      });
  }
  lowest_ = 0;
  if (always_sends(test)) return;
  for (const std::int32_t route : route_) lowest_ = std::min(lowest_, route);
}

// A threshold on a column without holes, or a node that names a branch for them.
bool RowDivider::always_sends(std::int32_t test) const {
  if (tree_.missing_branch[test] >= 0 && tree_.surrogates.empty()) return true;
  return static_cast<TestKind>(tree_.kind[test]) == TestKind::threshold &&
         !table_.columns[tree_.column[test]].has_missing;
}

std::vector<Segment> RowDivider::divide(std::int32_t test, Segment segment) {
  find_routes(test, segment);
  if (lowest_ != kMissingSpreads) return deal_in_place(tree_.n_children[test], segment);
  std::vector<std::int64_t> known(tree_.n_children[test], 0);
  for (std::size_t i = 0; i < route_.size(); ++i)
    if (route_[i] >= 0) known[route_[i]] += weights_[segment.begin + i];
  if (std::all_of(known.begin(), known.end(), [](std::int64_t w) { return w == 0; })) known.assign(known.size(), 1);
  return deal_in_pieces(tree_.n_children[test], segment, std::move(known));
}

std::vector<Segment> RowDivider::divide_as_grown(std::int32_t test, Segment segment) {
  find_routes(test, segment);
  if (lowest_ != kMissingSpreads) return deal_in_place(tree_.n_children[test], segment);
  std::vector<std::int64_t> shares;
  for (std::int32_t b = 0; b < tree_.n_children[test]; ++b)
    shares.push_back(std::llround(tree_.weight[tree_.child(test, b)] / weighing_.unit));
  return deal_in_pieces(tree_.n_children[test], segment, std::move(shares));
}

// Rows that stop at the node are put behind the others, and are in no part.
std::vector<Segment> RowDivider::deal_in_place(std::int32_t n_branches, Segment segment) {
  if (n_branches == 2 && lowest_ == 0) return deal_in_two(segment);
  std::vector<Segment> parts(n_branches + 1);
  for (std::int32_t& route : route_) {
    if (route < 0) route = n_branches;
    ++parts[route].end;
  }
  std::size_t at = segment.begin;
  for (Segment& part : parts) part.begin = at, at += part.end, part.end = part.begin;
  moved_rows_.assign(rows_.begin() + segment.begin, rows_.begin() + segment.end);
  moved_weights_.assign(weights_.begin() + segment.begin, weights_.begin() + segment.end);
  for (std::size_t i = 0; i < route_.size(); ++i) {
    const std::size_t to = parts[route_[i]].end++;
    rows_[to] = moved_rows_[i], weights_[to] = moved_weights_[i];
  }
  parts.pop_back();
  return parts;
}

// Every row is written to both sides, and only the side that it belongs to moves on: no branch is ever guessed wrong.
std::vector<Segment> RowDivider::deal_in_two(Segment segment) {
  const std::size_t n = segment.size();
  if (moved_rows_.size() < n) moved_rows_.resize(n), moved_weights_.resize(n);
  std::uint32_t *row = rows_.data() + segment.begin, *left = row, *right = moved_rows_.data();
  std::int64_t *weight = weights_.data() + segment.begin, *left_weight = weight, *right_weight = moved_weights_.data();
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t second = route_[i];
    *left = *right = row[i], *left_weight = *right_weight = weight[i];
    left += 1 - second, left_weight += 1 - second, right += second, right_weight += second;
  }
  std::copy(moved_rows_.data(), right, left);
  std::copy(moved_weights_.data(), right_weight, left_weight);
  const std::size_t middle = segment.begin + static_cast<std::size_t>(left - row);
  return {{segment.begin, middle}, {middle, segment.end}};
}

// Rows that stop at the node are in no part.
std::vector<Segment> RowDivider::deal_in_pieces(std::int32_t n_branches, Segment segment,
                                                std::vector<std::int64_t> shares) {
  Spreading spreading(std::move(shares), weighing_.finer);
  std::vector<std::int64_t> pieces;  // of the rows that are spread, in their order
  std::vector<Segment> parts(n_branches);
  for (std::size_t i = 0; i < route_.size(); ++i) {
    if (route_[i] >= 0) ++parts[route_[i]].end;
    if (route_[i] != kMissingSpreads) continue;
    const std::vector<std::int64_t>& cut = spreading.pieces(weights_[segment.begin + i]);
    pieces.insert(pieces.end(), cut.begin(), cut.end());
    for (std::int32_t b = 0; b < n_branches; ++b) parts[b].end += cut[b] > 0;
  }
  std::size_t at = rows_.size();
  for (Segment& part : parts) part.begin = at, at += part.end, part.end = part.begin;
  rows_.resize(at), weights_.resize(at);
  auto put = [&](std::int32_t b, std::uint32_t row, std::int64_t weight) {
    const std::size_t to = parts[b].end++;
    rows_[to] = row, weights_[to] = weight;
  };
  const std::int64_t* piece = pieces.data();
  for (std::size_t i = 0; i < route_.size(); ++i) {
    const std::uint32_t row = rows_[segment.begin + i];
    if (route_[i] >= 0) put(route_[i], row, weights_[segment.begin + i]);
    if (route_[i] != kMissingSpreads) continue;
    for (std::int32_t b = 0; b < n_branches; ++b, ++piece)
      if (*piece > 0) put(b, row, *piece);
  }
  return parts;
}

bool RowDivider::count_branches(std::int32_t test, Segment segment, std::vector<std::int64_t>& classes) {
  find_routes(test, segment);
  if (lowest_ < 0) return false;
  const std::size_t K = weighing_.target->n_classes;
  const std::uint16_t* class_of = weighing_.target->classes.data();
  classes.assign(tree_.n_children[test] * K, 0);
  for (std::size_t i = 0; i < route_.size(); ++i)
    classes[route_[i] * K + class_of[rows_[segment.begin + i]]] += weights_[segment.begin + i];
  return true;
}

Sums RowDivider::sum(Segment segment) const {
  Sums sums;
  sums.rows = static_cast<std::uint32_t>(segment.size());
  sums.classes.assign(weighing_.target->n_classes, 0);
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    sums.weight += weights_[i];
    sums.classes[weighing_.target->classes[rows_[i]]] += weights_[i];
  }
  return sums;
}

double RowDivider::errors(const Sums& sums) const {
  return double(sums.weight - *std::max_element(sums.classes.begin(), sums.classes.end())) * weighing_.unit;
}

std::int64_t RowDivider::wrong(Segment segment, std::int32_t answer) const {
  std::int64_t wrong = 0;
  for (std::size_t i = segment.begin; i < segment.end; ++i)
    if (weighing_.target->classes[rows_[i]] != answer) wrong += weights_[i];
  return wrong;
}

}  // namespace tw
