// Random cuts at a node for three classes or more. Criterion is that of ClassSearch.
#pragma once

#include <cstdint>  // for int32_t
#include <utility>  // for swap
#include <vector>   // for vector

#include "grow/forest/class_search.hpp"
#include "grow/forest/random_cuts/random_lanes.hpp"
#include "grow/forest/random_cuts/random_levels.hpp"

namespace tw {

template <class Criterion>
class ClassCuts : public ClassSearch<Criterion> {
  using Base = ClassSearch<Criterion>;
  using Base::classes_, Base::left_, Base::n_, Base::present_, Base::rules_;
  using Base::sides_, Base::total_;

 public:
  using Base::Base;

  // Before the first lanes of a node.
  void prepare_lanes() {
    fits_ = this->weight_unit_ == 1 && !rules_.balance_classes && rules_.class_weights.empty() && total_ < 1 << 30;
    is_weighted_ = total_ != n_;
    if (!fits_ || !is_weighted_) return;
    if (weights_.size() < n_) weights_.resize(n_);
    for (std::uint32_t i = 0; i < n_; ++i) weights_[i] = static_cast<std::int32_t>(classes_.weight(i));
  }

  bool has_limits() const { return Base::min_leaf_ > 1 || Base::min_weight_ > 0; }

  // Whether the left sum of the best division is known: it is a plain cut.
  bool knows_left() const { return knows_left_; }
  // How much the best division lowers the impurity; sides, where it is no plain cut: 1 for
  // branch 0, else 2.
  double gain_of_best(const std::uint16_t* sides) {
    if (!knows_left_) return Base::gain(sides);
    std::swap(left_, left_of_best_);
    Base::start_right();
    return Base::gain_of_sides();
  }

  // Whether look() sees to lanes with missing rows too.
  bool takes_holed_lanes() const { return fits_; }

  // Offers the cuts of all lanes that have one; missing rows go left, then right.
  template <class Number>
  void look(const RandomLanes<Number>& lanes, Best& best) {
    const bool holed = lanes.any_holed() && takes_holed_lanes();
    if (fits_) count(lanes, holed);
    for (std::uint32_t k = 0; k < lanes.count(); ++k)
      if (lanes.is_cut(k) || (holed && lanes.is_holed(k))) look_at_lane(lanes, k, true, best);
    if (!holed) return;
    count(lanes, false);
    for (std::uint32_t k = 0; k < lanes.count(); ++k)
      if (lanes.is_holed(k)) look_at_lane(lanes, k, false, best);
  }

  // A cut at x of a column in which rows are missing; sides: 0 missing, 1 up to x, 2 beyond.
  void look_at_sides(std::int32_t column, const std::uint16_t* sides, double x, Best& best) {
    if (!offer_sides([&](std::uint32_t i) { return sides[i]; }, column, 1, best)) return;
    knows_left_ = false;
    best.get().kind = CutKind::threshold;
    best.get().left_value = x;
  }
  // One number and missing rows: only whether it is there can be asked.
  void look_at_known(std::int32_t column, const std::uint16_t* sides, Best& best) {
    Base::count_missing(sides, true);
    Base::offer_known_or_missing(column, CutKind::threshold, best);
    if (best.get().column == column) knows_left_ = false;
  }

  void look_at_levels(const ForestColumn& about, std::int32_t column, const std::uint16_t* codes, std::uint64_t word,
                      Best& best) {
    random_.find(codes, n_, about.n_codes);
    if (random_.size() + random_.has_missing() < 2) return;
    if (random_.size() < 2) {
      present_.find(codes, n_, about.n_codes, false);
      Base::count_missing(codes, true);
      Base::offer_known_or_missing(column, CutKind::levels, best);
      if (best.get().column == column) knows_left_ = false;
      return;
    }
    const std::uint8_t* side_of_code = random_.draw(word);
    if (!offer_sides([&](std::uint32_t i) { return side_of_code[codes[i]]; }, column, 0, best)) return;
    knows_left_ = false;
    best.get().kind = CutKind::levels;
    best.get().left_levels = random_.left();
  }

 private:
  template <class Number>
  void count(const RandomLanes<Number>& lanes, bool missing_left) {
    const std::size_t n_classes = classes_.totals().size();
    if (counts_.size() < n_classes * kMostLanes) counts_.resize(n_classes * kMostLanes);
    counts_of_lanes(lanes.cells(), lanes.last(), missing_left, classes_.local(),
                    is_weighted_ ? weights_.data() : nullptr, static_cast<std::uint32_t>(n_classes), counts_.data(),
                    rows_);
  }

  template <class Number>
  void look_at_lane(const RandomLanes<Number>& lanes, std::uint32_t k, bool missing_left, Best& best) {
    const std::uint32_t rows = fits_ ? take_counts(k) : count_exactly(lanes, k);
    Base::start_right();
    if (!Base::allowed(rows) || !Base::offer(lanes.column(k), 1, missing_left, CutKind::threshold, best)) return;
    best.get().left_value = lanes.number(k);
    left_of_best_ = left_, knows_left_ = lanes.is_cut(k);
  }

  std::uint32_t take_counts(std::uint32_t k) {
    left_.resize(classes_.totals().size());
    for (std::size_t c = 0; c < left_.size(); ++c) left_[c] = counts_[c * kMostLanes + k];
    return static_cast<std::uint32_t>(rows_[k]);
  }
  template <class Number>
  std::uint32_t count_exactly(const RandomLanes<Number>& lanes, std::uint32_t k) {
    left_.assign(classes_.totals().size(), 0);
    std::uint32_t rows = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!(lanes.cells().at(i)[k] <= lanes.last()[k])) continue;
      left_[classes_.local(i)] += classes_.weight(i);
      ++rows;
    }
    return rows;
  }

  // One division of the known rows, with the missing ones on either side. side_of(i): 0 missing, 1 left, 2 right.
  template <class SideOf>
  bool offer_sides(SideOf side_of, std::int32_t column, std::uint32_t cut, Best& best) {
    const std::size_t n_classes = classes_.totals().size();
    by_side_.assign(3 * n_classes, 0);
    std::uint32_t rows[3] = {};
    for (std::uint32_t i = 0; i < n_; ++i) {
      const std::size_t side = side_of(i);
      by_side_[side * n_classes + classes_.local(i)] += classes_.weight(i);
      ++rows[side];
    }
    bool won = false;
    for (const bool missing_left : {true, false}) {
      if (!missing_left && rows[0] == 0) break;
      left_.resize(n_classes);
      for (std::size_t k = 0; k < n_classes; ++k) left_[k] = by_side_[n_classes + k] + (missing_left ? by_side_[k] : 0);
      Base::start_right();
      const std::uint32_t rows_left = rows[1] + (missing_left ? rows[0] : 0);
      if (Base::allowed(rows_left) && Base::offer(column, cut, missing_left, CutKind::none, best)) won = true;
    }
    return won;
  }

  bool fits_ = false, is_weighted_ = false, knows_left_ = false;
  std::vector<std::int64_t> left_of_best_;  // where it is known
  std::vector<std::int32_t> weights_, counts_;
  alignas(64) std::int32_t rows_[kMostLanes];
  RandomLevels random_;
  std::vector<std::int64_t> by_side_;  // weights of the classes among missing rows, left and right ones
};

}  // namespace tw
