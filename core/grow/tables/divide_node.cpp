#include "grow/tables/divide_node.hpp"

#include <algorithm>  // for all_of, lower_bound

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

// Every row's branch, and the weights of the rows that are cut into pieces.
class Dealer {
 public:
  Dealer(const NodeView& node, const Split& split) : node_(node), split_(split), route_(routes(node, split)) {
    known_.assign(split.n_branches, 0), n_rows_.assign(split.n_branches, 0);
    for (std::size_t i = 0; i < route_.size(); ++i) {
      if (route_[i] < kSpreads) known_[route_[i]] += weight_at(i), ++n_rows_[route_[i]];
      spreads_ |= route_[i] == kSpreads;
    }
    if (spreads_) cut_rows();
  }

  // Calls f(branch, row, weight) for every row, or piece of one, that goes to a branch; in the order of rows.
  template <class F>
  void for_each(F&& f) const {
    std::size_t next_piece = 0;
    for (std::size_t i = 0; i < route_.size(); ++i) {
      if (route_[i] < kSpreads) {
        f(route_[i], node_.rows.rows[i], weight_at(i));
      } else if (route_[i] == kSpreads) {
        for (std::uint32_t b = 0; b < split_.n_branches; ++b)
          if (const std::int64_t piece = pieces_[next_piece++]) f(b, node_.rows.rows[i], piece);
      }
    }
  }

  std::size_t n_rows(std::size_t branch) const { return n_rows_[branch]; }
  bool in_pieces() const { return spreads_ || !node_.rows.pieces.empty(); }

 private:
  std::int64_t weight_at(std::size_t i) const {
    return node_.rows.pieces.empty() ? node_.weighing.weight_of(node_.rows.rows[i]) : node_.rows.pieces[i];
  }
  void cut_rows() {
    const Spreading spreading(known_, node_.weighing.finer);
    for (std::size_t i = 0; i < route_.size(); ++i) {
      if (route_[i] != kSpreads) continue;
      const std::vector<std::int64_t> pieces = spreading.pieces(weight_at(i));
      pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
      for (std::size_t b = 0; b < pieces.size(); ++b) n_rows_[b] += pieces[b] > 0;
    }
  }

  const NodeView& node_;
  const Split& split_;
  const std::vector<std::uint16_t> route_;
  std::vector<std::int64_t> known_, pieces_;  // pieces_: one for each branch and row that is cut
  std::vector<std::size_t> n_rows_;
  bool spreads_ = false;
};

// Classes are summed up before any row is copied, so that leaves need no copies.
std::vector<Sums> sums_of_branches(const Dealer& dealer, const NodeView& node, std::size_t n_branches) {
  const Target& target = *node.weighing.target;
  const std::size_t K = target.n_classes;
  std::vector<std::int64_t> cells(n_branches * K, 0);
  dealer.for_each([&](std::size_t b, std::uint32_t row, std::int64_t w) { cells[b * K + target.classes[row]] += w; });
  std::vector<Sums> sums(n_branches);
  for (std::size_t b = 0; b < n_branches; ++b) {
    sums[b].rows = static_cast<std::uint32_t>(dealer.n_rows(b));
    sums[b].classes.assign(cells.begin() + b * K, cells.begin() + (b + 1) * K);
    for (const std::int64_t w : sums[b].classes) sums[b].weight += w;
  }
  return sums;
}

std::vector<ChildRows> copy_rows(const Dealer& dealer, std::size_t n_branches, const std::vector<bool>& is_leaf) {
  std::vector<ChildRows> children(n_branches);
  if (std::all_of(is_leaf.begin(), is_leaf.end(), [](bool leaf) { return leaf; })) return children;
  for (std::size_t b = 0; b < n_branches; ++b) {
    if (is_leaf[b]) continue;
    children[b].rows.reserve(dealer.n_rows(b));
    if (dealer.in_pieces()) children[b].pieces.reserve(dealer.n_rows(b));
  }
  dealer.for_each([&](std::size_t b, std::uint32_t row, std::int64_t w) {
    if (is_leaf[b]) return;
    children[b].rows.push_back(row);
    if (dealer.in_pieces()) children[b].pieces.push_back(w);
  });
  return children;
}

}  // namespace

Division divide_node(const NodeView& node, const Split& split, const Counter& counter,
                     const std::function<bool(const Sums&)>& is_leaf) {
  const Dealer dealer(node, split);
  Division division;
  division.is_leaf.assign(split.n_branches, false);
  if (node.weighing.target->n_classes) {
    division.sums = sums_of_branches(dealer, node, split.n_branches);
    for (std::size_t b = 0; b < split.n_branches; ++b) division.is_leaf[b] = is_leaf(division.sums[b]);
    division.children = copy_rows(dealer, split.n_branches, division.is_leaf);
    return division;
  }
  division.children = copy_rows(dealer, split.n_branches, division.is_leaf);
  for (std::size_t b = 0; b < split.n_branches; ++b) {
    ChildRows& child = division.children[b];
    division.sums.push_back(counter.sum({child.rows, child.pieces}));
    division.is_leaf[b] = is_leaf(division.sums[b]);
    if (division.is_leaf[b]) child = {};
  }
  return division;
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
