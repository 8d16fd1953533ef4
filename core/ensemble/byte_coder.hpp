// ByteCoder: the numbers of one column as bytes that tell all that some trees ask: the number of cuts below the value.
//
// A table over equal cells from the first cut to the last leads near the place: both operations of cell_of() ascend
// with x, so all cuts in earlier cells are below x and all in later ones above. The rest is halving, in as many steps
// as the fullest cell needs: one, as a rule. Codes are bytes with a sign, which every processor compares at once.
#pragma once

#include <algorithm>  // for min, max
#include <cstddef>    // for size_t
#include <cstdint>    // for int8_t
#include <vector>     // for vector

#include "base/vectors.hpp"
#include "predict/frame.hpp"

namespace tw {

// Rows without a value have the code −128; from there on, 1 + the number of cuts below the value.
class ByteCoder {
 public:
  static constexpr std::size_t kMostCuts = 254;
  static constexpr std::int8_t kMissing = -128;

  // cuts: ascending, each once.
  ByteCoder(std::int32_t column, const std::vector<double>& cuts);

  std::int32_t column() const { return column_; }
  std::size_t bytes() const { return cuts_.size() * 8 + of_doubles_.bytes() + of_floats_.bytes(); }

  // The largest code that takes the first branch of x <= threshold, for a threshold that is one of the cuts.
  std::int8_t largest_first(double threshold) const;

  static constexpr std::size_t kMostRows = 256;
  // Rows first … first + n − 1 of the column, n ≤ kMostRows; says whether some have no value. Writes kMostRows codes.
  bool code_rows(const FrameColumn& values, std::size_t first, std::size_t n, std::int8_t* codes) const;

 private:
  template <class Number>
  struct Cells {
    explicit Cells(const std::vector<double>& all);

    std::size_t cell_of(Number x) const {
      const Number place = (x - low) * scale;
      return static_cast<std::size_t>(std::min(place > 0 ? place : 0, last));
    }
    std::size_t bytes() const { return cuts.size() * sizeof(Number) + before.size(); }
    bool fill(std::size_t n_cells, std::size_t n_cuts);
    TW_INLINE_LOOP bool code(const Number* numbers, std::int8_t* codes) const;

    std::vector<Number> cuts;          // and infinities that the halving may look at
    std::vector<std::uint8_t> before;  // by cell: how many cuts lie in earlier cells
    Number low = 0, scale = 0, last = 0;
    std::uint32_t first_step = 0;  // of the halving: a power of two, 0 where there is no cut
  };

  bool code(const float* numbers, std::int8_t* codes) const;
  bool code(const double* numbers, std::int8_t* codes) const;

  std::int32_t column_;
  std::vector<double> cuts_;
  Cells<double> of_doubles_;
  Cells<float> of_floats_;
};

}  // namespace tw
