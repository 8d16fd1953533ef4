// The most that Gini can gain by a grouping of levels into two, whichever levels go together: mostly less than all of
// them apart, so that a column is known to have lost before its groupings are looked at.
//
// c_j are the class counts of level j, n_j their sum, p the shares of the classes in the node; v_j = c_j − n_j p add up
// to 0. Levels L on the left gain n / (n_L n_R) · |Σ_L v_j|². For any direction u, with x_j = 1 on the left and else 0,
// (u · Σ_L v_j)² = (Σ (x_j − n_L/n) u · v_j)² <= Σ n_j (x_j − n_L/n)² · Σ (u · v_j)² / n_j (Cauchy and Schwarz), where
// the first sum is n_L n_R / n. So no grouping gains more than the largest eigenvalue of B = Σ v_j v_j' / n_j, nor than
// the norm of B, the square root of that of B², the fourth root of that of B⁴, which come down to it quickly.
#pragma once

#include <vector>  // for vector

#include "grow/criterion/classes.hpp"
#include "grow/exact/finder/level_groupings.hpp"

namespace tw {

// Criteria whose gain is that of squares of counts.
template <class Criterion>
concept GainsBySquares = requires(ConstCounts counts) { Criterion::squares(counts); };

class LevelScatter {
 public:
  static constexpr std::size_t kFewestLevels = 5;  // below, a look at all groupings costs less

  // Whether some grouping of levels and missing rows, which may go to either side, might gain as much as `least`.
  bool may_gain(const LevelTable& levels, ConstCounts missing, ConstCounts totals, double least) {
    return levels.n_levels < kFewestLevels || most(levels, missing, totals, least) >= least;
  }

 private:
  // As much as a grouping could gain, found only as closely as is needed to tell whether it is `enough`.
  double most(const LevelTable& levels, ConstCounts missing, ConstCounts totals, double enough);
  void centre(const LevelTable& levels, ConstCounts missing, ConstCounts totals);
  void add_row(ConstCounts counts);
  void turn_if_wide();

  std::size_t n_rows_ = 0, n_classes_ = 0;
  std::vector<float> rows_, matrix_, squared_;
  std::vector<double> shares_;
};

}  // namespace tw
