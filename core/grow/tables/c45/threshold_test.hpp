// The best cut of a numeric or ordinal column: largest gain, the first of equals; then all cuts that were tried are
// paid for (Quinlan 1996). The cost counts the cuts that the size rule allows, as both programs do.
//
// Most cuts are never scored:
// - With two classes, the gain is at most chi-square by the weight, which takes no logarithm. And a stride of cuts lies
//   in a rectangle of class weights on the left, in which the gain is convex: no cut is better than the corners.
// - With more, no cut inside a run of values that all belong to one class is better than both ends of the run, for the
//   gain is convex in the place of the cut (Fayyad and Irani 1992). J48's rule that a later cut must be better by 1e-6
//   lets one of them win all the same when an end could: only then they are looked at one by one.
// So the answer is always that of looking at all of them.
#pragma once

#include <algorithm>  // for min
#include <cmath>      // for log2
#include <utility>    // for swap
#include <vector>     // for vector

#include "grow/tables/c45/gain_ratio.hpp"

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
    if (table_.n_classes == 2) return find_between_two(all_may, may_cut);
    std::size_t l = 0;
    while (l + 1 < table_.n_levels() && look_at(l, may_cut)) ++l;
    return finish(l, may_cut);
  }

 private:
  static constexpr std::size_t kStride = 24;
  static constexpr double kBitsPerNat = 1.4426950408889634;
  static constexpr double kSlack = 1 + 1e-9;  // for the rounding of both sides

  void start() {
    left_.assign(table_.n_classes, 0.0);
    left_weight_ = 0, left_of_best_ = 0, best_ = {}, n_cuts_ = 0;
    side_ = smallest_side() - C45Rules::kTiny;
    passed_over_ = false;
    if (table_.n_classes != 2) return;
    const double pairs = table_.classes[0] * table_.classes[1] * table_.sums.total;
    bound_ = pairs > 0 ? kBitsPerNat * kSlack * table_.sums.known / pairs : 0;
  }

  template <class MayCut>
  C45Worth find_between_two(bool all_may, MayCut&& may_cut) {
    const std::size_t last = table_.n_levels() - 1;
    const bool in_strides = all_may && table_.n_levels() > 2 * kStride;
    for (std::size_t l = 0; l < last;) {
      if (in_strides && n_cuts_ > 0 && l + kStride <= last && pass_stride(l)) {
        l += kStride;
        continue;
      }
      const std::size_t end = std::min(l + kStride, last);
      if (!scan(l, end, may_cut)) break;
      l = end;
    }
    return finish(last, may_cut);
  }

  // The cuts after the levels from l to end, one by one. False: the right side has become too small.
  template <class MayCut>
  bool scan(std::size_t l, std::size_t end, MayCut&& may_cut) {
    double x = left_[0], y = left_[1];
    const double a = table_.classes[0], b = table_.classes[1], known = table_.sums.known;
    const double* cell = table_.level(l);
    for (; l < end; ++l, cell += 2) {
      x += cell[0], y += cell[1];
      const double weight = x + y, apart = x * b - y * a;
      if (weight <= side_) continue;
      if (known - weight <= side_) return false;
      if (!may_cut(l)) continue;
      ++n_cuts_;
      if (apart * apart * bound_ <= (best_.gain + rules_->margin()) * weight * (known - weight)) continue;
      const double gain = gain_at(x, y);
      if (!can_win(gain)) continue;
      best_.usable = true, best_.gain = gain, best_.place = static_cast<std::uint32_t>(l), left_of_best_ = weight;
    }
    left_[0] = x, left_[1] = y;
    return true;
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
  bool pass_stride(std::size_t l) {
    double a = 0, b = 0;
    for (std::size_t i = l; i < l + kStride; ++i) a += table_.level(i)[0], b += table_.level(i)[1];
    const double x = left_[0], y = left_[1];
    if (table_.sums.known - (x + y + a + b) <= side_) return false;
    if (can_win_at(x + a, y) || can_win_at(x, y + b) || can_win_at(x + a, y + b) || can_win_at(x, y)) return false;
    left_[0] += a, left_[1] += b;
    n_cuts_ += kStride;
    return true;
  }

  bool can_win(double gain) const { return gain > best_.gain + rules_->margin(); }

  // Two classes: the gain in nats is at most chi-square by the weight, which takes no logarithm (Gibbs and Su 2002).
  bool can_win_at(double x, double y) const {
    const double apart = x * table_.classes[1] - y * table_.classes[0], weight = x + y;
    if (apart * apart * bound_ <= (best_.gain + rules_->margin()) * weight * (table_.sums.known - weight)) return false;
    return can_win(gain_at(x, y));
  }

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
    for (std::size_t k = 0; k < left_.size(); ++k) left_[k] += level[k];
  }
  // Both neighbours of the cut have rows of one class only, and the same.
  bool is_inside_run(std::size_t l) const {
    const double *a = table_.level(l), *b = table_.level(l + 1);
    for (std::size_t k = 0; k < left_.size(); ++k)
      if (a[k] > 0) return a[k] == table_.weights[l] && b[k] == table_.weights[l + 1];
    return false;
  }

  double gain_here() const {
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
  double left_weight_ = 0, weight_at_from_ = 0, left_of_best_ = 0, side_ = 0, bound_ = 0;
  bool passed_over_ = false;  // cuts from from_ on, inside a run
  std::size_t from_ = 0;
  C45Worth best_;
  std::size_t n_cuts_ = 0;
};

}  // namespace tw
