// The best two-way grouping of many levels for two classes or a numeric target, without sorting them.
//
// Sorting hundreds of levels by their rate takes longer than counting their rows. Here levels go into 1,024 slots by
// their rate, and the cuts between slots are scored: levels whose rates differ by less than a thousandth of the range
// stay together.
#pragma once

#include <algorithm>  // for max, min
#include <array>      // for array
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "grow/exact/finder/levels_by_rate.hpp"

namespace tw {

constexpr std::size_t kMostSortedLevels = 64;

class LevelSlots {
 public:
  // levels: present at the node.
  void fill(const std::vector<LevelSum>& levels) {
    double low = rate(levels[0]), high = low;
    for (const LevelSum& level : levels) low = std::min(low, rate(level)), high = std::max(high, rate(level));
    const double per_rate = high > low ? (kSlots - 1) / (high - low) : 0;
    sums_.fill(PairSum{});
    slot_.resize(levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const double at = (rate(levels[i]) - low) * per_rate;
      slot_[i] = static_cast<std::uint16_t>(at < kSlots - 1 ? at : kSlots - 1);
      sums_[slot_[i]] += levels[i].sum;
    }
  }

  // best: of this column alone.
  template <class Criterion>
  void find(const std::vector<LevelSum>& levels, const PairSum& missing, const PairView& view,
            const Criterion& criterion, std::int32_t column, Best& best) {
    for_each_placement(view, missing, criterion, [&](const TwoSides<Criterion>& sides) {
      PairSum left = sides.start;
      std::uint32_t known = 0;
      for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
        if (sums_[slot].rows == 0) continue;
        left += sums_[slot], known += sums_[slot].rows;
        if (known + missing.rows == view.total.rows || !sides.allowed(left)) continue;
        const double score = sides.score(left);
        if (score >= best.reach()) best.offer(score, column, slot + 1, sides.missing_left);
      }
    });
    if (best.get().found()) {
      best.get().kind = CutKind::levels;
      for (std::size_t i = 0; i < levels.size(); ++i)
        if (slot_[i] < best.get().cut) best.get().left_levels.push_back(levels[i].code);
    }
    offer_known_or_missing(view, missing, criterion, column, CutKind::levels, kSlots, best);
    if (!best.get().known_or_missing) return;
    for (const LevelSum& level : levels) best.get().left_levels.push_back(level.code);
  }

 private:
  static constexpr std::uint32_t kSlots = 1024;
  static double rate(const LevelSum& level) { return double(level.sum.b) / double(level.sum.a); }

  std::array<PairSum, kSlots> sums_;
  std::vector<std::uint16_t> slot_;
};

// Offers the winner of a nominal column to all columns: what asks only whether there is a level pays nothing.
inline void offer_discounted(Candidate& own, double best_possible, double discount, Best& best) {
  if (!own.found()) return;
  const double score = own.share() * best_possible * (own.known_or_missing ? 1 : discount);
  if (!best.offer(score, own.column, own.cut, own.missing_left)) return;
  best.get().kind = own.kind, best.get().known_or_missing = own.known_or_missing;
  best.get().left_levels = std::move(own.left_levels);
}

}  // namespace tw
