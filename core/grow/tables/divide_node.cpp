#include "grow/tables/divide_node.hpp"

#include <algorithm>  // for lower_bound

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
  Dealer(const NodeView& node, const Split& split)
      : node_(node), split_(split), n_classes_(node.weighing.target->n_classes), route_(routes(node, split)),
        branches_(split.n_branches), classes_(split.n_branches * n_classes_, 0) {
    whole_ = node.rows.pieces.empty() && node.weighing.target->unit_weights();
    const std::uint16_t* class_of = node.weighing.target->classes.data();
    for (std::size_t i = 0; i < route_.size(); ++i) {
      if (route_[i] >= kSpreads) {
        n_spread_ += route_[i] == kSpreads;
        continue;
      }
      const std::int64_t w = weight_at(i);
      branches_[route_[i]].known += w, ++branches_[route_[i]].n_rows;
      if (n_classes_) classes_[route_[i] * n_classes_ + class_of[node.rows.rows[i]]] += w;
    }
    if (n_spread_) cut_rows();
  }

  std::size_t n_rows(std::size_t branch) const { return branches_[branch].n_rows; }
  const std::int64_t* classes(std::size_t branch) const { return classes_.data() + branch * n_classes_; }

  // The rows of the branches that want them, in the order of rows.
  std::vector<ChildRows> copy(const std::vector<bool>& is_leaf) {
    std::vector<ChildRows> children(split_.n_branches);
    bool wanted = false;
    for (std::size_t b = 0; b < children.size(); ++b) {
      if (is_leaf[b]) continue;
      wanted = true;
      children[b].rows.resize(branches_[b].n_rows);
      branches_[b].row = children[b].rows.data();
      if (!in_pieces()) continue;
      children[b].pieces.resize(branches_[b].n_rows);
      branches_[b].piece = children[b].pieces.data();
    }
    if (wanted) copy_rows();
    return children;
  }

 private:
  bool in_pieces() const { return n_spread_ > 0 || !node_.rows.pieces.empty(); }
  std::int64_t weight_at(std::size_t i) const {
    if (whole_) return std::int64_t(1) << node_.weighing.finer;
    return node_.rows.pieces.empty() ? node_.weighing.weight_of(node_.rows.rows[i]) : node_.rows.pieces[i];
  }

  void put(std::size_t branch, std::size_t i, std::int64_t w) {
    Branch& to = branches_[branch];
    if (!to.row) return;
    *to.row++ = node_.rows.rows[i];
    if (to.piece) *to.piece++ = w;
  }

  void copy_rows() {
    const bool in_pieces = this->in_pieces();
    std::size_t next_piece = 0;
    for (std::size_t i = 0; i < route_.size(); ++i) {
      if (route_[i] < kSpreads) {
        put(route_[i], i, in_pieces ? weight_at(i) : 0);
      } else if (route_[i] == kSpreads) {
        for (std::uint32_t b = 0; b < split_.n_branches; ++b)
          if (const std::int64_t piece = pieces_[next_piece++]) put(b, i, piece);
      }
    }
  }

  void cut_rows() {
    std::vector<std::int64_t> known;
    for (const Branch& branch : branches_) known.push_back(branch.known);
    Spreading spreading(std::move(known), node_.weighing.finer);
    pieces_.reserve(n_spread_ * split_.n_branches);
    for (std::size_t i = 0; i < route_.size(); ++i) {
      if (route_[i] != kSpreads) continue;
      const std::vector<std::int64_t>& pieces = spreading.pieces(weight_at(i));
      pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
      for (std::size_t b = 0; b < pieces.size(); ++b) {
        branches_[b].n_rows += pieces[b] > 0;
        if (n_classes_) classes_[b * n_classes_ + node_.weighing.target->classes[node_.rows.rows[i]]] += pieces[b];
      }
    }
  }

  const NodeView& node_;
  const Split& split_;
  std::size_t n_classes_;
  const std::vector<std::uint16_t> route_;
  struct Branch {
    std::int64_t known = 0;  // weight of the rows with a value
    std::size_t n_rows = 0;
    std::uint32_t* row = nullptr;  // where the next row goes; null where nobody wants them
    std::int64_t* piece = nullptr;
  };
  std::vector<Branch> branches_;
  std::vector<std::int64_t> pieces_;   // one for each branch and row that is cut
  std::vector<std::int64_t> classes_;  // branch by branch
  std::size_t n_spread_ = 0;
  bool whole_ = false;
};

// Classes are summed up before any row is copied, so that leaves need no copies.
std::vector<Sums> sums_of_branches(const Dealer& dealer, std::size_t n_branches, std::size_t n_classes) {
  std::vector<Sums> sums(n_branches);
  for (std::size_t b = 0; b < n_branches; ++b) {
    sums[b].rows = static_cast<std::uint32_t>(dealer.n_rows(b));
    sums[b].classes.assign(dealer.classes(b), dealer.classes(b) + n_classes);
    for (const std::int64_t w : sums[b].classes) sums[b].weight += w;
  }
  return sums;
}

}  // namespace

Division divide_node(const NodeView& node, const Split& split, const Counter& counter,
                     const std::function<bool(const Sums&)>& is_leaf) {
  Dealer dealer(node, split);
  Division division;
  division.is_leaf.assign(split.n_branches, false);
  if (const std::size_t n_classes = node.weighing.target->n_classes) {
    division.sums = sums_of_branches(dealer, split.n_branches, n_classes);
    for (std::size_t b = 0; b < split.n_branches; ++b) division.is_leaf[b] = is_leaf(division.sums[b]);
    division.children = dealer.copy(division.is_leaf);
    return division;
  }
  division.children = dealer.copy(division.is_leaf);
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
