// LateThresholds: the threshold of a random cut has to be looked up in a long table, which is far from the processor.
// Nothing below the node depends on it, so it is asked for at once and looked up some nodes later.
#pragma once

#include <algorithm>  // for min
#include <array>      // for array
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "grow/forest/code_range.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/random_cut.hpp"

namespace tw {

class LateThresholds {
 public:
  // The next entry of `thresholds` is the one that belongs to the random number x.
  void push(const ForestColumn& column, const CodeRange& range, double x, std::vector<double>& thresholds) {
    if (n_ == late_.size()) settle(thresholds);
    const CodeGuide::Place place = column.guide.place(x);
    const std::uint32_t end = std::min(place.to, place.from + 8 * kLinesAhead);
    for (std::uint32_t code = place.from; code < end; code += 8) {
      __builtin_prefetch(&column.highest[code]);
      __builtin_prefetch(&column.lowest[code]);
    }
    late_[n_++] = {&column, range, x, thresholds.size()};
    thresholds.push_back(x);
  }

  void settle(std::vector<double>& thresholds) {
    for (std::size_t i = 0; i < n_; ++i) {
      const Late& one = late_[i];
      const std::uint32_t cut = code_left_of(*one.column, one.range, one.x);
      thresholds[one.at] = stored_threshold(*one.column, cut, one.x);
    }
    n_ = 0;
  }

 private:
  static constexpr std::uint32_t kLinesAhead = 4;
  struct Late {
    const ForestColumn* column;
    CodeRange range;
    double x;
    std::size_t at;
  };
  std::array<Late, 16> late_;
  std::size_t n_ = 0;
};

}  // namespace tw
