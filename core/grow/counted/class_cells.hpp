// The search in tables of counts for three classes or more.
//
// Which stretches are opened: gini, entropy and error are convex in the class weights of the left side, so inside a
// stretch no cut scores above the best corner of the box that it spans (every class of the stretch left or right). With
// many classes there are too many corners, and what is not additive is not convex: there every stretch is opened.
#pragma once

#include <cmath>   // for abs
#include <vector>  // for vector

#include "grow/counted/cell_search.hpp"
#include "grow/exact/finder/class_column_search.hpp"

namespace tw {

template <class Criterion>
class ClassCells final : public CellSearch, private ClassColumnSearch<Criterion> {
  using Base = ClassColumnSearch<Criterion>;
  using Placement = typename Base::Placement;
  using Base::allowed, Base::find_grouping, Base::for_each_placement, Base::offer, Base::offer_known_or_missing;
  using Base::left_, Base::levels_, Base::missing_, Base::right_, Base::sides_, Base::totals_;
  static constexpr std::size_t kMostCorners = 10;  // classes whose corners are all looked at

 public:
  ClassCells(const Target& target, const Recipe& recipe) : Base(target, recipe) {}

  Best start(const GrowingNode& s, const Arena& arena) override {
    totals_.clear(), classes_.clear();
    for (std::uint32_t k = 0; k < s.n_counts; ++k) {
      totals_.push_back(arena.counts[s.count_begin + k].weight);
      classes_.push_back(arena.counts[s.count_begin + k].class_index);
    }
    return Best(Criterion::scale(totals_));
  }

  void find(const CellTable& table, const CountedColumn& kind, std::int32_t column, Best& best) override {
    const KnownRows known = read(table, column);
    if (levels_.n_levels + (known.n_missing > 0) < 2) return;
    if (kind.ordered())
      for_each_placement(known, [&](Placement& p) { scan(known, p, best); });
    else
      find_grouping(known, kind.n_codes, best);
    offer_known_or_missing(known, kind.ordered(), best);
  }

  std::vector<std::uint32_t> open_cells(const CellTable& table, std::int32_t column, double reach) override {
    const KnownRows known = read(table, column);
    std::vector<std::uint8_t> open(table.n_cells, 0);
    if (!Criterion::kAdditive || totals_.size() > kMostCorners) {
      std::fill(open.begin(), open.end(), 1);
    } else {
      for_each_placement(known, [&](Placement& p) {
        Base::start(p);
        for (std::size_t l = 0; l < levels_.n_levels; ++l) {
          const std::uint32_t cell = levels_.rank[l];
          if (!open[cell] && table.is_stretch(cell)) open[cell] = may_reach(p, levels_.level(l), reach);
          move(l);
        }
      });
    }
    std::vector<std::uint32_t> cells;
    for (std::uint32_t c = 1; c < table.n_cells; ++c)
      if (open[c] && table.rows(c) > 0 && table.is_stretch(c)) cells.push_back(c);
    return cells;
  }

 private:
  // The cells that have rows become levels_, with the classes numbered as at the node.
  KnownRows read(const CellTable& table, std::int32_t column) {
    KnownRows known{0, table.rows(0), column};
    levels_.n_classes = totals_.size();
    levels_.rank.clear(), levels_.rows.clear(), levels_.counts.clear();
    missing_.clear();
    for (const auto k : classes_) missing_.push_back(table.cell(0)[k + 1]);
    for (std::uint32_t c = 1; c < table.n_cells; ++c) {
      if (table.rows(c) == 0) continue;
      known.n += table.rows(c);
      levels_.rank.push_back(c);
      levels_.rows.push_back(table.rows(c));
      for (const auto k : classes_) levels_.counts.push_back(table.cell(c)[k + 1]);
    }
    levels_.n_levels = levels_.rank.size();
    return known;
  }

  void move(std::size_t level) {
    for (std::uint32_t k = 0; k < totals_.size(); ++k)
      if (const std::int64_t w = levels_.level(level)[k]) sides_.move(k, w);
  }

  void scan(const KnownRows& known, const Placement& p, Best& best) {
    Base::start(p);
    std::uint32_t left = 0;
    for (std::size_t l = 0; l + 1 < levels_.n_levels; ++l) {
      move(l);
      left += levels_.rows[l];
      if (allowed(p.start_rows + left, p.whole_rows) && offer(p, known.column, left, CutKind::threshold, best))
        best.get().bucket = levels_.rank[l];
    }
  }

  bool may_reach(const Placement& p, ConstCounts stretch, double reach) const {
    std::vector<std::int64_t> left(totals_.size()), right(totals_.size());
    for (std::uint32_t corner = 0; corner < (1u << totals_.size()); ++corner) {
      for (std::size_t k = 0; k < totals_.size(); ++k) {
        const std::int64_t moved = corner >> k & 1 ? stretch[k] : 0;
        left[k] = left_[k] + moved, right[k] = right_[k] - moved;
      }
      const double score = Criterion::phi(left) + Criterion::phi(right) + p.base;
      if (score + 1e-9 * std::abs(score) >= reach) return true;
    }
    return false;
  }

  std::vector<std::uint32_t> classes_;  // present at the node
};

}  // namespace tw
