// ColumnCoder: the values of one column as small whole numbers that tell all that the trees of an ensemble ask.
//
// A column that is only cut: 1 + the number of cuts below the value, so that x <= cut j means code <= j + 1.
// A column that is asked for levels: 1 + the level's code; levels beyond those that are asked for share a code.
// 0 where there is no value.
#pragma once

#include <algorithm>  // for clamp, min
#include <cmath>      // for floor
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "predict/frame.hpp"

namespace tw {

class ColumnCoder {
 public:
  // cuts: ascending, each once; largest_level: that is asked for, 0 where the column is only cut.
  ColumnCoder(std::int32_t column, std::uint32_t largest_level, std::vector<double> cuts);

  std::int32_t column() const { return column_; }
  std::size_t bytes() const { return cuts_.size() * 8 + first_.size() * 4; }

  // The largest code that takes the first branch of x <= threshold, for a threshold that is one of the cuts.
  std::uint32_t largest_first(double threshold) const {
    if (largest_level_ == 0) return 1 + cuts_below(threshold);
    return 1 + static_cast<std::uint32_t>(std::clamp(std::floor(threshold), 0.0, largest_level_ + 1.0));
  }

  // The number of cuts below x, which is not NaN. A table over equal steps from the first cut to the last leads near
  // the place: both operations of cell_of() ascend with x, so that all cuts in earlier cells are below x and all in
  // later ones above. The rest is halving, in as many steps as the fullest cell needs.
  std::uint32_t cuts_below(double x) const {
    std::uint32_t at = first_[cell_of(x)];
    for (std::uint32_t step = first_step_; step > 0; step /= 2) at += cuts_[at + step - 1] < x ? step : 0;
    return at;
  }

  // The code of a number, or of a level given as a number; NaN: no value.
  std::uint32_t code(double x) const {
    if (x != x) return 0;
    if (largest_level_ == 0) return 1 + cuts_below(x);
    return x < 1 ? 0 : 1 + static_cast<std::uint32_t>(std::min(x, largest_level_ + 1.0));
  }

  // Rows first … first + n − 1 of a frame into codes[0 … n − 1]. Writes up to kCodePadding entries more.
  template <class Code>
  void code_rows(const FrameColumn& values, std::size_t first, std::size_t n, Code* codes) const;
  static constexpr std::size_t kCodePadding = 8;

 private:
  // Codes of n numbers; NaN gets 0.
  template <class Code>
  void code_numbers(const double* numbers, std::size_t n, Code* codes) const;
  template <class Code>
  void code_vectors(const double* numbers, std::size_t n, Code* codes) const;

  std::size_t cell_of(double x) const {
    const double place = (x - low_) * scale_;
    return place > 0 ? static_cast<std::size_t>(std::min(place, last_cell_)) : 0;
  }

  std::int32_t column_;
  double largest_level_;
  std::vector<double> cuts_;          // and infinities that the halving may look at
  std::vector<std::uint32_t> first_;  // by cell: how many cuts lie in earlier cells
  double low_ = 0, scale_ = 0, last_cell_ = 0;
  std::uint32_t first_step_ = 0;  // of the halving: a power of two, 0 where no cell has a cut
};

}  // namespace tw
