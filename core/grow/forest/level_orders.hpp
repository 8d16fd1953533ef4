// The levels that a node's rows have, with a small table from code to place.
#pragma once

#include <algorithm>  // for sort, max, min
#include <array>      // for array
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "grow/exact/finder/level_groupings.hpp"
#include "grow/exact/finder/levels_by_rate.hpp"

namespace tw {

class PresentLevels {
 public:
  // codes: 0 is missing. After this, place(code) counts from 0 among the levels present, which stand in ascending order
  // if that is asked for.
  void find(const std::uint16_t* codes, std::uint32_t n, std::uint32_t n_codes, bool in_order = true) {
    if (place_.size() <= n_codes) place_.resize(n_codes + 1, kAbsent);
    for (const std::uint32_t code : present_) place_[code] = kAbsent;
    present_.clear();
    n_missing_ = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint16_t code = codes[i];
      if (code == 0) {
        ++n_missing_;
      } else if (place_[code] == kAbsent) {
        place_[code] = static_cast<std::uint32_t>(present_.size());
        present_.push_back(code);
      }
    }
    if (!in_order) return;
    std::sort(present_.begin(), present_.end());
    for (std::uint32_t k = 0; k < present_.size(); ++k) place_[present_[k]] = k;
  }

  const std::vector<std::uint32_t>& codes() const { return present_; }
  std::uint32_t place(std::uint32_t code) const { return place_[code]; }
  std::uint32_t n_missing() const { return n_missing_; }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffffu;
  std::vector<std::uint32_t> place_, present_;
  std::uint32_t n_missing_ = 0;
};

// What is left of the score of a grouping of levels before it is compared with other columns in a forest.
//
// Sorted by their rate, levels look good even on noise, the better the more of them there are. How much they would on
// pure noise is known: all levels apart would gain (levels − 1) · Σw²/Σw impurities of one row. (Σw²/Σw is 1 without
// weights and 2 for a bootstrap, where rows that were drawn twice confirm themselves.) How much they do gain is
// counted. The score keeps the share that is not explained by noise, as the adjusted R² does. A fully grown forest
// meets thousands of small nodes with about as many levels as rows, so this goes for every column of more than two
// levels; a single tree charges only those of more than 255, to be rpart's equal (see grow/finder/levels_by_rate.hpp).

// gain: of all levels apart. noise: see noise_of_a_unit.
inline double level_discount(std::size_t n_levels, double gain, double impurity_of_one, double noise_of_one) {
  if (n_levels <= 2) return 1;
  const double noise = static_cast<double>(n_levels - 1) * impurity_of_one * noise_of_one;
  return gain > 0 ? std::max(0.0, 1 - noise / gain) : 0;
}

// Two-way groupings of levels in a forest, for three classes or more. A single tree tries many (level_groupings.hpp); a
// forest asks at thousands of small nodes, so it tries every grouping of up to six levels, and of more levels the
// prefixes of their order along the first principal direction of the class shares.

constexpr std::size_t kMostGroupedLevels = 6;

// As for_each_grouping: reset() empties the left branch, move(level) puts a level into it, visit(number) is called when
// a grouping is complete and returns false to stop. order: of the levels, where there are more than six.
template <class Reset, class Move, class Visit>
void for_each_forest_grouping(std::uint32_t n_levels, const std::vector<std::uint32_t>& order, Reset reset, Move move,
                              Visit visit) {
  if (n_levels > kMostGroupedLevels) {
    reset();
    for (std::uint32_t i = 0; i + 1 < n_levels; ++i) {
      move(order[i]);
      if (!visit(i + 1)) return;
    }
    return;
  }
  for (std::uint32_t mask = 1; mask < (1u << (n_levels - 1));
       ++mask) {  // bit i: level i + 1 is away from the first one
    reset();
    for (std::uint32_t l = 0; l < n_levels; ++l)
      if (l == 0 || !(mask >> (l - 1) & 1)) move(l);
    if (!visit(mask)) return;
  }
}

// The best two-way grouping of many levels for two classes or a numeric target, without sorting them.
//
// Sorting hundreds of levels by their rate takes longer than counting their rows. Here levels go into 1,024 slots by
// their rate, and the cuts between slots are scored: levels whose rates differ by less than a thousandth of the range
// stay together.

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
