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
  using Base::criterion_, Base::node_, Base::plain_, Base::present_, Base::rules_, Base::sums_, Base::target_;
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

  // Offers the cuts of all lanes that have one.
  template <class Number>
  void look(const RandomLanes<Number>& lanes, Best& best) {
    if (fits_)
      sums_of_lanes(lanes.cells(), lanes.last(), is_weighted_ ? weights_.data() : nullptr, values_.data(), lane_sums_);
    if (fits_ && target_.is_regression()) return look_at_best(lanes, best);
    for (std::uint32_t k = 0; k < lanes.count(); ++k) {
      if (!lanes.is_cut(k)) continue;
      const auto rows = static_cast<std::uint32_t>(lane_sums_.rows[k]);
      offer(lanes, k, fits_ ? PairSum{lane_sums_.a[k], lane_sums_.b[k], rows} : left_of(lanes, k), best);
    }
  }

  // A cut at x of a column in which rows are missing; sides: 0 missing, 1 up to x, 2 beyond.
  void look_at_sides(std::int32_t column, const std::uint16_t* sides, double x, Best& best) {
    PairSum left, missing;
    for (std::uint32_t i = 0; i < node_.rows; ++i) {
      const PairSum one = sums_.at(i);
      const std::int64_t is_left = -static_cast<std::int64_t>(sides[i] == 1),
                         is_missing = -static_cast<std::int64_t>(sides[i] == 0);
      left.a += one.a & is_left, left.b += one.b & is_left, left.rows -= static_cast<std::int32_t>(is_left);
      missing.a += one.a & is_missing, missing.b += one.b & is_missing;
      missing.rows -= static_cast<std::int32_t>(is_missing);
    }
    if (!offer_left(left, missing, column, 1, best)) return;
    knows_left_ = false;
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
    present_.find(codes, node_.rows, about.n_codes, false);
    if (present_.codes().size() + (present_.n_missing() > 0) < 2) return;
    const PairSum missing = present_.n_missing() > 0 ? missing_of(codes) : PairSum{};
    if (present_.codes().size() > 1) {
      random_levels(present_.codes(), word, left_levels_);
      goes_left_.assign(about.n_codes + 1, 0);
      for (const std::uint32_t code : left_levels_) goes_left_[code] = 1;
      const PairSum left = Base::sum_where(codes, [&](std::uint32_t c) { return goes_left_[c] != 0; });
      if (!offer_left(left, missing, column, 0, best)) return;
      knows_left_ = false;
      best.get().kind = CutKind::levels;
      best.get().left_levels = left_levels_;
      return;
    }
    offer_known_or_missing(view_, missing, *criterion_, column, CutKind::levels, kAfterAll, best);
    if (best.get().column != column || !best.get().known_or_missing) return;
    knows_left_ = false;
    best.get().left_levels = present_.codes();
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
  void look_at_best(const RandomLanes<Number>& lanes, Best& best) {
    const std::uint32_t n_lanes = lanes.cells().n_groups * kLanes;
    for (std::uint32_t k = 0; k < n_lanes; ++k) open_[k] = lanes.are_cut()[k];
    if (has_limits())
      for (std::uint32_t k = 0; k < lanes.count(); ++k)
        open_[k] &= plain_->allowed({lane_sums_.a[k], 0, static_cast<std::uint32_t>(lane_sums_.rows[k])});
    const float least =
        score_lanes(lane_sums_, open_, lanes.cells().n_groups, static_cast<float>(view_.total.a), slack_, scores_) *
        (1 - kFloatSlack);
    for (std::uint32_t k = 0; k < lanes.count(); ++k)
      if (scores_.most[k] >= least && scores_.most[k] >= 0) offer(lanes, k, left_of(lanes, k), best);
  }

  template <class Number>
  void offer(const RandomLanes<Number>& lanes, std::uint32_t k, const PairSum& left, Best& best) {
    if (!plain_->allowed(left)) return;
    const double score = plain_->score(left);
    if (score < best.reach() || !best.offer(score, lanes.column(k), 1, plain_->missing_left)) return;
    best.get().kind = CutKind::threshold;
    best.get().left_value = lanes.number(k);
    left_of_best_ = left, knows_left_ = true;
  }

  template <class Number>
  PairSum left_of(const RandomLanes<Number>& lanes, std::uint32_t k) const {
    const Number last = lanes.last()[k];
    PairSum sum;
    for (std::uint32_t i = 0; i < node_.rows; ++i) {
      const PairSum one = sums_.at(i);
      const std::int64_t here = -static_cast<std::int64_t>(lanes.cells().at(i)[k] <= last);
      sum.a += one.a & here, sum.b += one.b & here, sum.rows -= static_cast<std::int32_t>(here);
    }
    return sum;
  }

  // One division of the known rows, with the missing ones on either side.
  bool offer_left(const PairSum& left, const PairSum& missing, std::int32_t column, std::uint32_t cut, Best& best) {
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
  LaneScores scores_;
  alignas(64) std::uint32_t open_[kMostLanes];
  std::vector<std::uint32_t> left_levels_;
  std::vector<std::uint8_t> goes_left_;
};

}  // namespace tw
