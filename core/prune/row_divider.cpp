#include "prune/row_divider.hpp"

#include <algorithm>  // for all_of, max_element
#include <cmath>      // for llround

#include "grow/tables/spreading.hpp"
#include "predict/walk.hpp"

namespace tw {

void RowDivider::find_routes(std::int32_t node, const ChildRows& rows) {
  route_.resize(rows.rows.size());
  for (std::size_t i = 0; i < route_.size(); ++i)
    route_[i] = branch_of_row(
        tree_, node, [&, row = rows.rows[i]](std::int32_t column) { return table_.columns[column].value(row); });
}

std::vector<ChildRows> RowDivider::divide(std::int32_t node, const ChildRows& rows) {
  find_routes(node, rows);
  std::vector<std::int64_t> known(tree_.n_children[node], 0);
  for (std::size_t i = 0; i < route_.size(); ++i)
    if (route_[i] >= 0) known[route_[i]] += weight_at(rows, i);
  if (std::all_of(known.begin(), known.end(), [](std::int64_t w) { return w == 0; })) known.assign(known.size(), 1);
  return deal(tree_.n_children[node], rows, std::move(known));
}

std::vector<ChildRows> RowDivider::divide_as_grown(std::int32_t node, const ChildRows& rows) {
  find_routes(node, rows);
  std::vector<std::int64_t> shares;
  for (std::int32_t b = 0; b < tree_.n_children[node]; ++b)
    shares.push_back(std::llround(tree_.weight[tree_.child(node, b)] / weighing_.unit));
  return deal(tree_.n_children[node], rows, std::move(shares));
}

// Rows that stop at the node are in no part.
std::vector<ChildRows> RowDivider::deal(std::int32_t n_branches, const ChildRows& rows,
                                        std::vector<std::int64_t> shares) const {
  bool spreads = false;
  std::vector<std::size_t> n(n_branches, 0);
  for (const std::int32_t route : route_) {
    if (route >= 0) ++n[route];
    spreads |= route == kMissingSpreads;
  }
  const Spreading spreading(std::move(shares), weighing_.finer);
  const bool in_pieces = spreads || !rows.pieces.empty();
  std::vector<ChildRows> parts(n_branches);
  for (std::int32_t b = 0; b < n_branches; ++b) {
    parts[b].rows.reserve(n[b]);
    if (in_pieces) parts[b].pieces.reserve(n[b]);
  }
  for (std::size_t i = 0; i < route_.size(); ++i) {
    if (route_[i] == kMissingStops) continue;
    if (route_[i] >= 0) {
      parts[route_[i]].rows.push_back(rows.rows[i]);
      if (in_pieces) parts[route_[i]].pieces.push_back(weight_at(rows, i));
      continue;
    }
    const std::vector<std::int64_t> pieces = spreading.pieces(weight_at(rows, i));
    for (std::int32_t b = 0; b < n_branches; ++b)
      if (pieces[b] > 0) parts[b].rows.push_back(rows.rows[i]), parts[b].pieces.push_back(pieces[b]);
  }
  return parts;
}

Sums RowDivider::sum(const ChildRows& rows) const {
  Sums sums;
  sums.rows = static_cast<std::uint32_t>(rows.rows.size());
  sums.classes.assign(weighing_.target->n_classes, 0);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const std::int64_t w = weight_at(rows, i);
    sums.weight += w;
    sums.classes[weighing_.target->classes[rows.rows[i]]] += w;
  }
  return sums;
}

double RowDivider::errors(const Sums& sums) const {
  return double(sums.weight - *std::max_element(sums.classes.begin(), sums.classes.end())) * weighing_.unit;
}

}  // namespace tw
