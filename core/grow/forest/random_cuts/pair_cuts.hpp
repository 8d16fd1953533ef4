// Random cuts at a node for two classes or a numeric target. Criterion and Sums are those of PairSearch.
//
// Two classes: the lanes add up exact counts. Numbers: they add up what is left of 30 bits of each row, around the mean
// of the node. What was lost is bounded, so the columns that may have won are known, and those are added up exactly:
// mostly one.
#pragma once

#include <algorithm>  // for max
#include <bit>        // for bit_width
#include <cmath>      // for ldexp
#include <cstdint>    // for int32_t
#include <cstdlib>    // for abs
#include <vector>     // for vector

#include "grow/forest/pair_search.hpp"
#include "grow/forest/random_cuts/random_lanes.hpp"
#include "grow/forest/random_cuts/random_levels.hpp"

namespace tw {

template <class Criterion, class Sums>
class PairCuts : public PairSearch<Criterion, Sums> {
  using Base = PairSearch<Criterion, Sums>;
  using Base::criterion_, Base::node_, Base::plain_, Base::rules_, Base::sums_, Base::target_;
  using Base::kAfterAll, Base::view_;

 public:
  using Base::Base;

  // Before the first lanes of a node.
  void prepare_lanes() {
    const PairSum& total = view_.total;
    fits_ = whole_units() && total.a < 1 << 30;
    if (!fits_) return;
    const std::uint32_t n = node_.rows;
    is_weighted_ = total.a != n;
    if (weights_.size() < n) weights_.resize(n), values_.resize(n), centred_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) weights_[i] = static_cast<std::int32_t>(sums_.at(i).a);
    if (target_.is_regression()) return centre();
    for (std::uint32_t i = 0; i < n; ++i) values_[i] = static_cast<std::int32_t>(sums_.at(i).b);
  }

  bool has_limits() const { return view_.min_leaf > 1 || view_.min_weight > 0; }

  // Whether the left sum of the best division is known: it is a plain cut.
  bool knows_left() const { return knows_left_; }
  // How much the best division lowers the impurity; sides, where it is no plain cut: 1 for
  // branch 0, else 2.
  double gain_of_best(const std::uint16_t* sides) {
    return knows_left_ ? Base::gain(left_of_best_) : Base::gain(sides);
  }

  // Whether look() sees to lanes with missing rows too. Where their side is learnt they are scored as all others are.
  bool takes_holed_lanes() const { return fits_ && view_.missing == MissingPolicy::learn; }

  // Offers the cuts of all lanes that have one; missing rows go left, then right.
  template <class Number>
  void look(const RandomLanes<Number>& lanes, Best& best) {
    const bool holed = lanes.any_holed() && takes_holed_lanes();
    if (fits_ && target_.is_regression()) return look_at_best(lanes, holed, best);
    if (fits_) add_up(lanes, holed);
    for (std::uint32_t k = 0; k < lanes.count(); ++k)
      if (lanes.is_cut(k) || (holed && lanes.is_holed(k)))
        offer(lanes, k, fits_ ? sum_of_lane(k) : left_of(lanes, k, true), true, best);
    if (!holed) return;
    add_up(lanes, false);
    for (std::uint32_t k = 0; k < lanes.count(); ++k)
      if (lanes.is_holed(k)) offer(lanes, k, sum_of_lane(k), false, best);
  }

  // A cut at x of a column in which rows are missing; sides: 0 missing, 1 up to x, 2 beyond.
  void look_at_sides(std::int32_t column, const std::uint16_t* sides, double x, Best& best) {
    if (!offer_sides([&](std::uint32_t i) { return sides[i]; }, column, 1, best)) return;
    best.get().kind = CutKind::threshold;
    best.get().left_value = x;
  }
  // One number and missing rows: only whether it is there can be asked.
  void look_at_known(std::int32_t column, const std::uint16_t* sides, Best& best) {
    offer_known_or_missing(view_, missing_of(sides), *criterion_, column, CutKind::threshold, kAfterAll, best);
    if (best.get().column == column) knows_left_ = false;
  }

  void look_at_levels(const ForestColumn& about, std::int32_t column, const std::uint16_t* codes, std::uint64_t word,
                      Best& best) {
    random_.find(codes, node_.rows, about.n_codes);
    if (random_.size() + random_.has_missing() < 2) return;
    if (random_.size() > 1) {
      const std::uint8_t* side_of_code = random_.draw(word);
      if (!offer_sides([&](std::uint32_t i) { return side_of_code[codes[i]]; }, column, 0, best)) return;
      best.get().kind = CutKind::levels;
      best.get().left_levels = random_.left();
      return;
    }
    offer_known_or_missing(view_, missing_of(codes), *criterion_, column, CutKind::levels, kAfterAll, best);
    if (best.get().column != column || !best.get().known_or_missing) return;
    knows_left_ = false;
    best.get().left_levels = random_.codes();
  }

 private:
  static constexpr int kSumBits = 30;
  static constexpr float kFloatSlack = 4e-6f;  // of a score in floats, and more

  bool whole_units() const {
    return this->units_.weight_unit == 1 && !rules_.balance_classes && rules_.class_weights.empty();
  }

  PairSum missing_of(const std::uint16_t* sides) const {
    return Base::sum_where(sides, [](std::uint32_t side) { return side == 0; });
  }

  // values_: how far the rows are from the node's mean, in so many bits that no sum of them runs over. slack_: how
  // far the sum of a lane may be from the truth, and from what the doubles of a score make of it.
  void centre() {
    const PairSum& total = view_.total;
    const std::uint32_t n = node_.rows;
    const std::int64_t middle = total.b / total.a;
    std::uint64_t reach = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      centred_[i] = sums_.at(i).b - middle * weights_[i];
      reach += static_cast<std::uint64_t>(std::abs(centred_[i]));
    }
    const int shift = std::max(0, static_cast<int>(std::bit_width(reach + n)) - kSumBits);
    const std::int64_t half = shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
    for (std::uint32_t i = 0; i < n; ++i) values_[i] = static_cast<std::int32_t>((centred_[i] + half) >> shift);
    const double rounded =
        (std::abs(static_cast<double>(middle)) * static_cast<double>(total.a) + double(reach)) * 0x1p-49;
    slack_ =
        static_cast<float>((1 + 0.5 * n + std::ldexp(static_cast<double>(total.a) + rounded, -shift)) * (1 + 1e-6));
  }

  template <class Number>
  void add_up(const RandomLanes<Number>& lanes, bool missing_left) {
    sums_of_lanes(lanes.cells(), lanes.last(), missing_left, is_weighted_ ? weights_.data() : nullptr, values_.data(),
                  lane_sums_);
  }
  PairSum sum_of_lane(std::uint32_t k) const {
    return {lane_sums_.a[k], lane_sums_.b[k], static_cast<std::uint32_t>(lane_sums_.rows[k])};
  }

  template <class Number>
  void look_at_best(const RandomLanes<Number>& lanes, bool holed, Best& best) {
    float least = bound_scores(lanes, holed, holed, scores_[0]);
    if (holed) least = std::max(least, bound_scores(lanes, holed, false, scores_[1]));
    least *= 1 - kFloatSlack;
    for (int side = 0; side < 1 + holed; ++side)
      for (std::uint32_t k = 0; k < lanes.count(); ++k)
        if (const float most = scores_[side].most[k]; most >= least && most >= 0)
          offer(lanes, k, left_of(lanes, k, side == 0), side == 0, best);
  }

  // Bounds for lanes with missing rows on one side; for all others where these go left, or where there are none. Gives
  // a score that the best one reaches.
  template <class Number>
  float bound_scores(const RandomLanes<Number>& lanes, bool holed, bool missing_left, LaneScores& scores) {
    add_up(lanes, missing_left);
    const std::uint32_t n_groups = lanes.cells().n_groups;
    const bool plain_too = missing_left || !holed;
    for (std::uint32_t k = 0; k < n_groups * kLanes; ++k)
      open_[k] = (plain_too & lanes.are_cut()[k]) | (holed & lanes.are_holed()[k]);
    if (has_limits())
      for (std::uint32_t k = 0; k < lanes.count(); ++k) open_[k] &= plain_->allowed(sum_of_lane(k));
    return score_lanes(lane_sums_, open_, n_groups, static_cast<float>(view_.total.a), slack_, scores);
  }

  template <class Number>
  void offer(const RandomLanes<Number>& lanes, std::uint32_t k, const PairSum& left, bool missing_left, Best& best) {
    if (!offer_sum(left, lanes.column(k), 1, missing_left, best)) return;
    best.get().kind = CutKind::threshold;
    best.get().left_value = lanes.number(k);
    left_of_best_ = left, knows_left_ = lanes.is_cut(k);
  }
  bool offer_sum(const PairSum& left, std::int32_t column, std::uint32_t cut, bool missing_left, Best& best) {
    if (!plain_->allowed(left)) return false;
    const double score = plain_->score(left);
    return score >= best.reach() && best.offer(score, column, cut, missing_left);
  }

  template <class Number>
  PairSum left_of(const RandomLanes<Number>& lanes, std::uint32_t k, bool missing_left) const {
    return missing_left ? sum_of_left<true>(lanes, k) : sum_of_left<false>(lanes, k);
  }
  template <bool kMissing, class Number>
  PairSum sum_of_left(const RandomLanes<Number>& lanes, std::uint32_t k) const {
    const Number last = lanes.last()[k];
    PairSum sum;
    for (std::uint32_t i = 0; i < node_.rows; ++i) {
      const PairSum one = sums_.at(i);
      const Number number = lanes.cells().at(i)[k];
      const std::int64_t here = -static_cast<std::int64_t>(kMissing ? !(number > last) : number <= last);
      sum.a += one.a & here, sum.b += one.b & here, sum.rows -= static_cast<std::int32_t>(here);
    }
    return sum;
  }

  // One division of the known rows, with the missing ones on either side. side_of(i): 0 missing, 1 left, 2 right.
  template <class SideOf>
  bool offer_sides(SideOf side_of, std::int32_t column, std::uint32_t cut, Best& best) {
    PairSum left, missing;
    for (std::uint32_t i = 0; i < node_.rows; ++i) {
      const PairSum one = sums_.at(i);
      const auto side = side_of(i);
      const std::int64_t is_left = -static_cast<std::int64_t>(side == 1),
                         is_missing = -static_cast<std::int64_t>(side == 0);
      left.a += one.a & is_left, left.b += one.b & is_left, left.rows -= static_cast<std::int32_t>(is_left);
      missing.a += one.a & is_missing, missing.b += one.b & is_missing;
      missing.rows -= static_cast<std::int32_t>(is_missing);
    }
    const bool won = offer_left(left, missing, column, cut, best);
    if (won) knows_left_ = false;
    return won;
  }
  bool offer_left(const PairSum& left, const PairSum& missing, std::int32_t column, std::uint32_t cut, Best& best) {
    if (missing.rows == 0) return offer_sum(left, column, cut, true, best);
    bool won = false;
    for_each_placement(view_, missing, *criterion_, [&](const TwoSides<Criterion>& sides) {
      const PairSum with_missing = sides.start + left;
      if (sides.allowed(with_missing) && best.offer(sides.score(with_missing), column, cut, sides.missing_left))
        won = true;
    });
    return won;
  }

  bool fits_ = false, is_weighted_ = false, knows_left_ = false;
  PairSum left_of_best_;  // where it is known
  float slack_ = 0;
  std::vector<std::int32_t> weights_, values_;
  std::vector<std::int64_t> centred_;
  LaneSums lane_sums_;
  LaneScores scores_[2];  // missing rows left, right
  alignas(64) std::uint32_t open_[kMostLanes];
  RandomLevels random_;
};

}  // namespace tw
