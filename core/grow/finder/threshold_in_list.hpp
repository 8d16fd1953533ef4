// Finds the best threshold of an ordered column from its sorted list.
//
// The scan walks in strides of 32 rows. It adds up a stride first and asks whether any cut inside it could still win
// (TwoSides::corner_bound); only then does it look at the rows one by one.
#pragma once

#include "grow/candidate.hpp"
#include "grow/finder/two_sides.hpp"
#include "grow/words.hpp"

namespace tw {

constexpr std::uint32_t kStride = 32;

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

template <class Word, class Payload, class Criterion>
class ThresholdScan {
 public:
  // known: the column's known rows at the node, ascending.
  ThresholdScan(const Word* known, std::uint32_t n, const Payload& payload, const TwoSides<Criterion>& sides,
                const PairNode& node, std::int32_t column, Best& best)
      : known_(known), n_(n), payload_(payload), sides_(sides), node_(node), column_(column), best_(best) {}

  // A cut after the last known row is a cut of its own when missing rows stand on the other side: "known or missing".
  void run() {
    PairSum left = sides_.start;
    std::uint32_t at = 0;
    double edge = sides_.score(left);
    for (; at + kStride < n_; at += kStride) {
      const PairSum stride = sum_of(known_ + at, kStride, payload_);
      const PairSum after = left + stride;
      const double next_edge = sides_.score(after);
      const double reach = reach_for_win();
      const double bound = sides_.corner_bound(double(left.a), double(left.b), double(stride.a), double(stride.b), node_);
      const double slack = 1e-9 * (bound < 0 ? -bound : bound);
      if (bound + slack >= reach || edge >= reach || next_edge >= reach) look_at(at, kStride, left);
      left = after;
      edge = next_edge;
    }
    look_at(at, n_ - at, left);
  }

 private:
  // Scans without missing rows pass over cuts in ascending order, so a tie never wins; the others may win a tie.
  double reach_for_win() const {
    return best_.get().column == column_ && !sides_.missing_left ? best_.reach() : best_.beat();
  }

  void look_at(std::uint32_t begin, std::uint32_t n, PairSum left) {
    for (std::uint32_t i = begin; i < begin + n; ++i) {
      const std::uint32_t row = row_of(known_[i]);
      left.a += payload_.a(row), left.b += payload_.b(row), ++left.rows;
      if (i + 1 >= n_ || rank_of(known_[i]) == rank_of(known_[i + 1]) || !sides_.allowed(left.rows)) continue;
      const double score = sides_.score(left);
      if (score >= reach_for_win() && best_.offer(score, column_, i + 1, sides_.missing_left)) {
        best_.get().kind = CutKind::threshold;
      }
    }
  }

  const Word* known_;
  std::uint32_t n_;
  const Payload& payload_;
  const TwoSides<Criterion>& sides_;
  const PairNode& node_;
  std::int32_t column_;
  Best& best_;
};

// Every known row left, every missing row right: tried last, and only where the policy learns the side.
template <class Criterion>
void offer_known_or_missing(const PairView& view, const PairSum& missing, const Criterion& criterion,
                            std::int32_t column, CutKind kind, std::uint32_t last_cut, Best& best) {
  if (view.missing != MissingPolicy::learn || missing.rows == 0 || missing.rows == view.total.rows) return;
  const TwoSides sides(criterion, PairSum{}, view.total, -criterion.phi(view.node.a, view.node.b), view, false);
  const PairSum known = view.total - missing;
  if (!sides.allowed(known.rows)) return;
  if (best.offer(sides.score(known), column, last_cut, false)) {
    best.get().kind = kind;
    best.get().known_or_missing = true;
  }
}

}  // namespace tw
