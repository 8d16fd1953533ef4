// The best cut of a numeric or ordinal column: largest gain, the first of equals; then all cuts that were tried are
// paid for (Quinlan 1996). The cost counts the cuts that the size rule allows, as both programs do.
//
// Most cuts are never scored:
// - Inside a run of values that all belong to one class the gain is convex in the place of the cut, so that no cut
// there
//   is better than both ends of the run (Fayyad and Irani 1992).
// - With two classes, a stride of cuts lies in a rectangle of class weights on the left, and the gain is convex in
// them:
//   no cut of the stride is better than the corners.
// J48's rule that a later cut must be better by 1e-6 lets one of them win all the same when an end or a corner could:
// only then the cuts are looked at one by one, so that the answer is always that of looking at all of them.
#pragma once

#include <algorithm>  // for min
#include <cmath>      // for log2
#include <utility>    // for swap
#include <vector>     // for vector

#include "grow/c45/class_table.hpp"
#include "grow/c45/rules.hpp"
#include "grow/c45/worth.hpp"

namespace tw {

class ThresholdTest {
 public:
  // One for each thread: it keeps its memory from one node to the next.
  explicit ThresholdTest(const ClassTable& table) : table_(table) {}

  // may_cut(l): do the values of levels l and l + 1 lie far enough apart? all_may: they all do. `place` of the answer
  // is the last level that goes left.
  template <class MayCut>
  C45Worth find(const C45Rules& rules, const Bits& bits, bool all_may, MayCut&& may_cut) {
    rules_ = &rules, bits_ = &bits;
    start();
    if (table_.sums.known <= 2 * side_) return {};
    const bool in_strides = all_may && table_.n_classes == 2 && table_.n_levels() > 2 * kStride;
    std::size_t l = 0;
    while (l + 1 < table_.n_levels()) {
      if (in_strides && n_cuts_ > 0 && l + kStride < table_.n_levels() && pass_stride(l, may_cut)) {
        l += kStride;
        continue;
      }
      const std::size_t end = std::min(l + kStride, table_.n_levels() - 1);
      for (; l < end; ++l)
        if (!look_at(l, may_cut)) return finish(l, may_cut);
    }
    return finish(l, may_cut);
  }

 private:
  static constexpr std::size_t kStride = 24;

  void start() {
    left_.assign(table_.n_classes, 0.0);
    left_weight_ = 0, left_of_best_ = 0, best_ = {}, n_cuts_ = 0;
    side_ = smallest_side() - C45Rules::kTiny;
    passed_over_ = false;
  }

  // One cut, after level l. False: the right side has become too small.
  template <class MayCut>
  bool look_at(std::size_t l, MayCut&& may_cut) {
    move(l);
    if (left_weight_ <= side_) return true;
    if (table_.sums.known - left_weight_ <= side_) return false;
    if (!may_cut(l)) return true;
    ++n_cuts_;
    if (n_cuts_ > 1 && is_inside_run(l)) {
      if (!passed_over_) from_ = l, left_at_from_ = left_, weight_at_from_ = left_weight_;
      passed_over_ = true;
      return true;
    }
    settle(l, may_cut);
    offer(l);
    return true;
  }

  // The cuts that were passed over cannot win unless the place that the scan has come to could.
  template <class MayCut>
  void settle(std::size_t l, MayCut&& may_cut) {
    if (passed_over_ && can_win(gain_here())) look_again(l, may_cut);
    passed_over_ = false;
  }

  // Passes over the cuts after the levels from l on, if none of them can win.
  template <class MayCut>
  bool pass_stride(std::size_t l, MayCut&& may_cut) {
    settle(l, may_cut);
    double a = 0, b = 0;
    for (std::size_t i = l; i < l + kStride; ++i) a += table_.level(i)[0], b += table_.level(i)[1];
    const double x = left_[0], y = left_[1];
    if (table_.sums.known - (x + y + a + b) <= side_) return false;
    if (can_win(gain_at(x + a, y)) || can_win(gain_at(x, y + b)) || can_win(gain_at(x + a, y + b)) ||
        can_win(gain_at(x, y)))
      return false;
    left_[0] += a, left_[1] += b, left_weight_ = left_[0] + left_[1];
    n_cuts_ += kStride;
    return true;
  }

  bool can_win(double gain) const { return gain > best_.gain + rules_->margin(); }

  // Two classes: the gain if x of the first and y of the second go left.
  double gain_at(double x, double y) const {
    const double u = table_.classes[0] - x, v = table_.classes[1] - y;
    const double inner = (*bits_)(x) + (*bits_)(u) + (*bits_)(y) + (*bits_)(v);
    return c45_gain(table_.sums, (*bits_)(x + y) + (*bits_)(u + v) - inner);
  }

  // A tenth of the mean class weight, but min_weight is always asked and 25 is always enough.
  double smallest_side() const {
    const double share = 0.1 * table_.sums.known / static_cast<double>(table_.n_classes);
    return share <= rules_->min_weight + C45Rules::kTiny ? rules_->min_weight : std::min(share, 25.0);
  }

  void move(std::size_t l) {
    left_weight_ += table_.weights[l];
    const double* level = table_.level(l);
    if (left_.size() == 2) {
      left_[0] += level[0], left_[1] += level[1];
      return;
    }
    for (std::size_t k = 0; k < left_.size(); ++k) left_[k] += level[k];
  }
  // Both neighbours of the cut have rows of one class only, and the same.
  bool is_inside_run(std::size_t l) const {
    const double *a = table_.level(l), *b = table_.level(l + 1);
    if (left_.size() == 2) return (a[0] == 0 && b[0] == 0) || (a[1] == 0 && b[1] == 0);
    for (std::size_t k = 0; k < left_.size(); ++k)
      if (a[k] > 0) return a[k] == table_.weights[l] && b[k] == table_.weights[l + 1];
    return false;
  }

  double gain_here() const {
    if (left_.size() == 2) return gain_at(left_[0], left_[1]);
    double inner = 0;
    for (std::size_t k = 0; k < left_.size(); ++k) inner += (*bits_)(left_[k]) + (*bits_)(table_.classes[k] - left_[k]);
    const double after = (*bits_)(left_weight_) + (*bits_)(table_.sums.known - left_weight_) - inner;
    return c45_gain(table_.sums, after);
  }

  void offer(std::size_t l) {
    const double gain = gain_here();
    if (!can_win(gain)) return;
    best_.usable = true, best_.gain = gain, best_.place = static_cast<std::uint32_t>(l);
    left_of_best_ = left_weight_;
  }

  // The cuts before `to` that were passed over, one by one; the place is as before afterwards.
  template <class MayCut>
  void look_again(std::size_t to, MayCut&& may_cut) {
    std::swap(left_, left_at_from_), std::swap(left_weight_, weight_at_from_);
    for (std::size_t l = from_; l < to; ++l) {
      if (l > from_) move(l);
      if (may_cut(l)) offer(l);
    }
    std::swap(left_, left_at_from_), std::swap(left_weight_, weight_at_from_);
  }

  template <class MayCut>
  C45Worth finish(std::size_t l, MayCut&& may_cut) {
    if (passed_over_) look_again(l, may_cut);
    if (!best_.usable) return {};
    if (rules_->mdl_correction) best_.gain -= std::log2(static_cast<double>(n_cuts_)) / table_.sums.total;
    if (best_.gain <= rules_->margin()) return {};
    set_ratio(best_, table_.sums, (*bits_)(left_of_best_) + (*bits_)(table_.sums.known - left_of_best_), *bits_);
    return best_;
  }

  const ClassTable& table_;
  const C45Rules* rules_ = nullptr;
  const Bits* bits_ = nullptr;
  std::vector<double> left_, left_at_from_;
  double left_weight_ = 0, weight_at_from_ = 0, left_of_best_ = 0, side_ = 0;
  bool passed_over_ = false;  // cuts from from_ on, inside a run
  std::size_t from_ = 0;
  C45Worth best_;
  std::size_t n_cuts_ = 0;
};

}  // namespace tw
