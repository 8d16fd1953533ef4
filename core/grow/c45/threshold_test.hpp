// The best cut of a numeric or ordinal column: largest gain, the first of equals; then all cuts that were tried are
// paid for (Quinlan 1996). The cost counts the cuts that the size rule allows, as both programs do.
#pragma once

#include <algorithm>  // for min
#include <cmath>      // for log2
#include <vector>     // for vector

#include "grow/c45/class_table.hpp"
#include "grow/c45/rules.hpp"
#include "grow/c45/worth.hpp"

namespace tw {

class ThresholdTest {
 public:
  ThresholdTest(const ClassTable& table, const C45Rules& rules, const Bits& bits)
      : table_(table), rules_(rules), bits_(bits) {}

  // may_cut(l): do the values of levels l and l + 1 lie far enough apart? `place` of the answer is the last level that
  // goes left.
  template <class MayCut>
  C45Worth find(MayCut&& may_cut) {
    const std::size_t K = table_.n_classes;
    const double known = table_.sums.known, side = smallest_side() - C45Rules::kTiny, margin = rules_.margin();
    left_.assign(K, 0.0);
    double weight = 0, left_of_best = 0;
    std::size_t cuts = 0;
    C45Worth best;
    for (std::size_t l = 0; l + 1 < table_.n_levels(); ++l) {
      weight += table_.weights[l];
      for (std::size_t k = 0; k < K; ++k) left_[k] += table_.level(l)[k];
      if (weight <= side) continue;
      if (known - weight <= side) break;
      if (!may_cut(l)) continue;
      ++cuts;
      const double gain = c45_gain(table_.sums, after(weight, known - weight));
      if (gain <= best.gain + margin) continue;
      best.usable = true, best.gain = gain, best.place = static_cast<std::uint32_t>(l);
      left_of_best = weight;
    }
    return finish(best, cuts, left_of_best);
  }

 private:
  // A tenth of the mean class weight, but min_weight is always asked and 25 is always enough.
  double smallest_side() const {
    const double share = 0.1 * table_.sums.known / static_cast<double>(table_.n_classes);
    return share <= rules_.min_weight + C45Rules::kTiny ? rules_.min_weight : std::min(share, 25.0);
  }

  double after(double left, double right) const {
    double inner = 0;
    for (std::size_t k = 0; k < left_.size(); ++k) inner += bits_(left_[k]) + bits_(table_.classes[k] - left_[k]);
    return bits_(left) + bits_(right) - inner;
  }

  C45Worth finish(C45Worth best, std::size_t cuts, double left) const {
    if (!best.usable) return {};
    if (rules_.mdl_correction) best.gain -= std::log2(static_cast<double>(cuts)) / table_.sums.total;
    if (best.gain <= rules_.margin()) return {};
    set_ratio(best, table_.sums, bits_(left) + bits_(table_.sums.known - left), bits_);
    return best;
  }

  const ClassTable& table_;
  const C45Rules& rules_;
  const Bits& bits_;
  std::vector<double> left_;
};

}  // namespace tw
