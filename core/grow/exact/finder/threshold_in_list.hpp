// Finds the best threshold of an ordered column from its sorted list.
//
// The scan walks in strides of 32 rows. It adds up a stride first and asks whether any cut inside it could still win
// (TwoSides::corner_bound); only then does it look at the rows one by one.
#pragma once

#include <algorithm>  // for min
#include <bit>        // for popcount, countr_zero
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/exact/finder/two_sides.hpp"
#include "grow/exact/lists.hpp"
#include "grow/exact/scan_counts.hpp"

namespace tw {

template <class Word, class Payload>
PairSum sum_of(const Word* list, std::uint32_t n, const Payload& payload) {
  PairSum sum;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t row = row_of(list[i]);
    sum.a += payload.a(row), sum.b += payload.b(row);
  }
  sum.rows = n;
  return sum;
}

// The sums of one stride after the other.
template <class Word, class Payload>
class StrideSums {
 public:
  StrideSums(const Word* list, std::uint32_t, const Payload& payload) : list_(list), payload_(payload) {}
  PairSum next() {
    const PairSum sum = sum_of(list_, kStride, payload_);
    list_ += kStride;
    return sum;
  }

 private:
  const Word* list_;
  const Payload& payload_;
};

// Two classes without weights: all strides of a list are counted in one go by a vector pass.
template <>
class StrideSums<std::uint32_t, ClassByRow> {
 public:
  StrideSums(const std::uint32_t* list, std::uint32_t n, const ClassByRow& payload) {
    static thread_local std::vector<std::uint8_t> counts;
    counts.resize(n / kStride + 1);
    count_class_1(list, n / kStride, payload.n_class_0, counts.data());
    next_ = counts.data();
  }
  PairSum next() { return {kStride, *next_++, kStride}; }

 private:
  const std::uint8_t* next_;
};

template <class Word, class Payload, class Criterion>
class ThresholdScan {
 public:
  // known: the column's known rows at the node, ascending.
  ThresholdScan(const Word* known, std::uint32_t n, const Payload& payload, const TwoSides<Criterion>& sides,
                const PairNode& node, std::int32_t column, Best& best, Goal& last_goal)
      : known_(known), n_(n), payload_(payload), sides_(sides), node_(node), column_(column), best_(best),
        last_goal_(last_goal) {}

  // (A cut after the last known row is offered apart: "known or missing".)
  void run() {
    PairSum left = sides_.start;
    std::uint32_t at = 0;
    if (n_ > kStride) {
      StrideSums<Word, Payload> strides(known_, n_, payload_);
      Goal goal = sides_.goal(reach_for_win(), last_goal_);
      bool edge = sides_.may_reach(double(left.a), double(left.b), goal);
      for (; at + kStride < n_; at += kStride) {
        const PairSum stride = strides.next();
        const double a = double(left.a), b = double(left.b), da = double(stride.a), db = double(stride.b);
        const bool next_edge = sides_.may_reach(a + da, b + db, goal);
        if ((edge || next_edge || sides_.may_reach_inside(a, b, da, db, node_, goal)) && look_at(at, kStride, left))
          goal = sides_.goal(reach_for_win(), last_goal_);
        left += stride;
        edge = next_edge;
      }
    }
    look_at(at, n_ - at, left);
  }

 private:
  // A tie is won by the column that comes first, then the smaller cut. Cuts are passed in ascending order, so within a
  // column a tie never wins, unless missing rows have changed sides in between.
  double reach_for_win() const {
    const std::int32_t holder = best_.get().column;
    const bool may_tie = best_.wins_ties(column_) || (holder == column_ && !sides_.missing_left);
    return may_tie ? best_.reach() : best_.beat();
  }

  // True when the best has changed.
  bool look_at(std::uint32_t begin, std::uint32_t n, PairSum left) {
    if constexpr (Payload::kCounts && sizeof(Word) == 4 && Criterion::kQuadratic != Quadratic::none)
      return look_at_counts(begin, n, left);
    bool changed = false;
    Goal goal = sides_.goal(reach_for_win(), last_goal_);
    for (std::uint32_t i = begin; i < begin + n; ++i) {
      const std::uint32_t row = row_of(known_[i]);
      left.a += payload_.a(row), left.b += payload_.b(row), ++left.rows;
      if (!sides_.may_reach(double(left.a), double(left.b), goal) || !offer(i, left, goal)) continue;
      goal = sides_.goal(reach_for_win(), last_goal_);
      changed = true;
    }
    return changed;
  }

  // The same, sixteen rows at a time.
  bool look_at_counts(std::uint32_t begin, std::uint32_t n, PairSum left) {
    bool changed = false;
    Goal goal = sides_.goal(reach_for_win(), last_goal_);
    CountScan scan{0, 0, sides_.mean, sides_.quadratic, goal.level, sides_.whole_a, payload_.n_class_0};
    for (std::uint32_t i = begin, part; i < begin + n; i += part) {
      part = std::min(begin + n - i, 16u);
      scan.a = double(left.a), scan.b = double(left.b), scan.level = goal.level;
      CountHits hits = scan_counts(known_ + i, part, scan);
      if (goal.level <= 0) hits.may_reach = (1u << part) - 1;
      for (; hits.may_reach; hits.may_reach &= hits.may_reach - 1) {
        const auto at = static_cast<std::uint32_t>(std::countr_zero(hits.may_reach));
        const std::int64_t ones = std::popcount(hits.class_1 & ((2u << at) - 1));
        if (!offer(i + at, left + PairSum{at + 1, ones, at + 1}, goal)) continue;
        goal = sides_.goal(reach_for_win(), last_goal_);
        changed = true;
      }
      left += PairSum{part, std::popcount(hits.class_1), part};
    }
    return changed;
  }

  // Offers the cut after the i-th known row, if it is one.
  bool offer(std::uint32_t i, const PairSum& left, const Goal& goal) {
    if (i + 1 >= n_ || rank_of(known_[i]) == rank_of(known_[i + 1]) || !sides_.allowed(left)) return false;
    const double score = sides_.score(left);
    if (!(score >= goal.reach) || !best_.offer(score, column_, i + 1, sides_.missing_left)) return false;
    best_.get().kind = CutKind::threshold;
    return true;
  }

  const Word* known_;
  std::uint32_t n_;
  const Payload& payload_;
  const TwoSides<Criterion>& sides_;
  const PairNode& node_;
  std::int32_t column_;
  Best& best_;
  Goal& last_goal_;
};

// Every known row left, every missing row right: tried last, and only where the policy learns the side.
template <class Criterion>
void offer_known_or_missing(const PairView& view, const PairSum& missing, const Criterion& criterion,
                            std::int32_t column, CutKind kind, std::uint32_t last_cut, Best& best) {
  if (view.missing != MissingPolicy::learn || missing.rows == 0 || missing.rows == view.total.rows) return;
  const TwoSides sides(criterion, PairSum{}, view.total, -criterion.phi(view.node.a, view.node.b), view, false);
  const PairSum known = view.total - missing;
  if (!sides.allowed(known)) return;
  if (best.offer(sides.score(known), column, last_cut, false)) {
    best.get().kind = kind;
    best.get().known_or_missing = true;
  }
}

}  // namespace tw
