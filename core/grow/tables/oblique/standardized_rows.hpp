// StandardizedRows: the rows of a node as points: the columns that may take part in a sum, standardised at the node.
//
// A standardised value is rounded to whole steps of 1/4096 of a standard deviation and cut off at 16 of them; factors
// from logistic regression are rounded to 16 bits, weights to 12. Products of these are whole numbers so small that a
// double adds up a block of them exactly; blocks are added up in 128-bit integers. So the sums are the same for any
// order of rows, any number of threads and any width of vectors, and a row of weight 2 counts as two rows.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/tables/splitter.hpp"

namespace tw {

constexpr double kStep = 4096;
constexpr std::size_t kBlockOfRows = 128;  // rows; 128 · 2^44 < 2^53

// A level of a nominal column and what it counts as.
struct LevelScore {
  std::uint32_t code;
  double score;
};
constexpr std::uint8_t kNoLevel = 255;

struct StandardizedColumn {
  std::vector<double> values;  // one for each row of the node; NaN where it has none
  std::vector<float> steps;    // the same, standardised: whole numbers up to 2^16; 0 where there is no value
  double mean = 0, deviation = 1;
  bool has_missing = false;
  std::vector<LevelScore> levels;    // of a nominal column, by ascending codes; its values are their scores
  std::vector<std::uint8_t> places;  // of a nominal column: the level of each row, or kNoLevel

  bool is_nominal() const { return !levels.empty(); }
  // From the values and their weights (empty: all 1), in integers.
  void set_moments(std::span<const double> weights);
  void set_steps();
  bool is_sound() const;  // mean and deviation are numbers to work with
};

class StandardizedRows {
 public:
  // Columns have their steps. `weights` are whole numbers below 2^12, one for each row, or empty where all are 1; one
  // of them is worth `unit`.
  StandardizedRows(std::vector<StandardizedColumn> columns, std::size_t n_rows, std::vector<double> weights,
                   double unit, Workers& workers)
      : columns_(std::move(columns)), n_rows_(n_rows), weights_(std::move(weights)), unit_(unit), workers_(workers) {}

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return columns_.size(); }
  const StandardizedColumn& column(std::size_t j) const { return columns_[j]; }
  bool has_missing() const;
  double total() const;  // weight

  // Σ w·z·zᵀ, by rows; only the upper half is filled.
  std::vector<double> cross() const;
  // Σ w·z over the rows of each group; groups × columns.
  std::vector<double> sums(std::span<const std::uint32_t> group_of_row, std::size_t n_groups) const;
  // Σ w·target·z; the target is in whole steps, at most 16 deviations. The last entry is Σ w·target.
  std::vector<double> with_target(std::span<const double> target) const;

  // Slope and curvature of the logistic likelihood at b (last: the intercept), for some of the columns.
  struct Curve {
    std::vector<double> slope, curvature;
  };
  Curve logistic(std::span<const std::uint32_t> kept, std::span<const double> target, std::span<const double> b) const;

 private:
  struct Tile;
  void fill(std::size_t begin, std::span<const std::uint32_t> kept, Tile& tile) const;
  std::vector<std::uint32_t> all() const;

  std::vector<StandardizedColumn> columns_;
  std::size_t n_rows_;
  std::vector<double> weights_;
  double unit_;
  Workers& workers_;  // hears Ctrl-C while rows are gone through
};

// Rounds to a whole number, halves to even; |x| < 2^51.
inline double whole(double x) {
  constexpr double kMagic = 6755399441055744.0;  // 1.5 · 2^52
  return (x + kMagic) - kMagic;
}

// A value in whole steps from the mean, at most 16 deviations away; 0 where it is missing. per_step = kStep /
// deviation.
inline double in_steps(double value, double mean, double per_step) {
  constexpr double kFarthest = 16 * kStep;
  double steps = (value - mean) * per_step;
  steps = steps > kFarthest ? kFarthest : steps;
  steps = steps < -kFarthest ? -kFarthest : steps;
  return value == value ? whole(steps) : 0.0;
}

// What the levels of a nominal column count as in a sum: their mean, the log-odds of the second class, or, of three
// classes and more, where their shares lie along the first principal axis of all of them. Means and shares are first
// drawn towards those of all rows that have a level, as if five such rows were added to each: rare levels stay in the
// middle.

constexpr std::size_t kMostScoredLevels = 50;

// A nominal column of a node with the scores of its levels as values. Not sound where they cannot be told.
StandardizedColumn scored_column(const NodeView& node, std::int32_t column);

}  // namespace tw
