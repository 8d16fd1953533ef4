#include "grow/tables/divide_node.hpp"

#include <algorithm>  // for lower_bound

#include "grow/tables/spreading.hpp"
#include "grow/threshold_value.hpp"

namespace tw {
namespace {

std::uint16_t route_of_missing(const Split& split) {
  if (split.missing == kMissingStops) return kStays;
  return split.missing == kMissingSpreads ? kSpreads : static_cast<std::uint16_t>(split.missing);
}

// The branch of every code: looked up in a table where that is not much longer than the node, else searched.
class BranchOfCode {
 public:
  BranchOfCode(const Split& split, std::uint32_t n_codes, std::size_t n_rows) : split_(split) {
    missing_ = route_of_missing(split);
    if (split.kind == TestKind::threshold || n_codes > 4 * n_rows + 1024) return;
    of_code_.assign(n_codes + 1, missing_);
    for (const LevelBranch& level : split.levels) of_code_[level.code] = level.branch;
  }
  std::uint16_t operator()(std::uint32_t code) const {
    if (code == 0) return missing_;
    if (split_.kind == TestKind::threshold) return code > split_.cut;
    if (!of_code_.empty()) return of_code_[code];
    const auto at = std::lower_bound(split_.levels.begin(), split_.levels.end(), code,
                                     [](const LevelBranch& level, std::uint32_t c) { return level.code < c; });
    return at != split_.levels.end() && at->code == code ? at->branch : missing_;
  }

 private:
  const Split& split_;
  std::uint16_t missing_;
  std::vector<std::uint16_t> of_code_;
};

std::vector<std::uint16_t> routes(const NodeView& node, const Split& split) {
  if (!split.route.empty()) return split.route;
  const RankedColumn& column = node.column(split.column);
  const BranchOfCode branch_of(split, column.n_codes, node.rows.size());
  std::vector<std::uint16_t> route(node.rows.size());
  column.visit_codes([&](const auto* codes) {
    for (std::size_t i = 0; i < route.size(); ++i) route[i] = branch_of(codes[node.rows.rows[i]]);
  });
  return route;
}

}  // namespace

std::vector<ChildRows> divide_node(const NodeView& node, const Split& split) {
  const std::vector<std::uint16_t> route = routes(node, split);
  auto weight_at = [&](std::size_t i) {
    return node.rows.pieces.empty() ? node.weighing.weight_of(node.rows.rows[i]) : node.rows.pieces[i];
  };
  std::vector<std::int64_t> known(split.n_branches, 0);
  std::vector<std::size_t> n_rows(split.n_branches, 0);
  bool spreads = false;
  for (std::size_t i = 0; i < route.size(); ++i) {
    if (route[i] < kSpreads) known[route[i]] += weight_at(i), ++n_rows[route[i]];
    spreads |= route[i] == kSpreads;
  }
  const Spreading spreading(known, node.weighing.finer);
  const bool in_pieces = spreads || !node.rows.pieces.empty();
  std::vector<ChildRows> children(split.n_branches);
  for (std::size_t b = 0; b < children.size(); ++b) {
    children[b].rows.reserve(n_rows[b]);
    if (in_pieces) children[b].pieces.reserve(n_rows[b]);
  }
  auto add = [&](std::size_t branch, std::uint32_t row, std::int64_t weight) {
    children[branch].rows.push_back(row);
    if (in_pieces) children[branch].pieces.push_back(weight);
  };
  for (std::size_t i = 0; i < route.size(); ++i) {
    if (route[i] == kStays) continue;
    const std::uint32_t row = node.rows.rows[i];
    if (route[i] != kSpreads) {
      add(route[i], row, in_pieces ? weight_at(i) : 0);
      continue;
    }
    const std::vector<std::int64_t> pieces = spreading.pieces(weight_at(i));
    for (std::size_t b = 0; b < pieces.size(); ++b)
      if (pieces[b] > 0) add(b, row, pieces[b]);
  }
  return children;
}

Split threshold_split(const NodeView& node, std::int32_t column, const Found& found) {
  const RankedColumn& c = node.column(column);
  Split split;
  split.kind = TestKind::threshold, split.column = column, split.cut = found.cut;
  split.threshold =
      c.kind == Kind::ordinal ? c.value_of(found.cut) : midpoint(c.value_of(found.cut), c.value_of(found.next));
  return split;
}

Split level_split(std::int32_t column, const Found& found) {
  Split split;
  split.kind = TestKind::levels, split.column = column;
  split.levels = found.levels, split.n_branches = found.n_branches;
  return split;
}

}  // namespace tw
