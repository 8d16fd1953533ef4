// The gain of every cut of every column of a node of at most 32 rows, all columns at once in lanes. The gains are
// single precision: they say which cuts may be the best, and whole numbers decide among those.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/lists/lane_codes.hpp"

namespace tw {

// Of a node's cuts: keys[p] are the codes after sorting, place p; gains[p] those of the cuts after place p.
class LaneGains {
 public:
  void start(std::size_t n_lanes, std::size_t stride);
  std::size_t n_lanes() const { return n_lanes_; }
  std::size_t stride() const { return stride_; }
  std::uint16_t* keys(std::uint32_t place) { return keys_.data() + place * stride_; }
  float* gains(std::uint32_t place) { return gains_.data() + place * stride_; }
  float* most() { return most_.data(); }  // of a lane; below 0: it has no cut

  // Which of the rows handed in comes at this place of a column's order.
  std::uint32_t slot(std::uint32_t place, std::size_t column) const {
    return keys_[place * stride_ + column] & (kLaneRows - 1);
  }
  std::uint32_t code(std::uint32_t place, std::size_t column) const {
    return keys_[place * stride_ + column] >> kSlotBits;
  }
  float gain(std::uint32_t place, std::size_t column) const { return gains_[place * stride_ + column]; }
  float most(std::size_t column) const { return most_[column]; }
  // Of all columns; below 0: there is no cut.
  float largest() const { return largest_; }
  void raise_largest(float gain) { largest_ = gain > largest_ ? gain : largest_; }

 private:
  std::size_t n_lanes_ = 0, stride_ = 0;
  float largest_ = -1;
  std::vector<std::uint16_t> keys_;
  std::vector<float> gains_, most_;
};

struct LaneNode {
  const LaneCodes& codes;
  std::span<const std::uint32_t> rows;  // 2 … kLaneRows
  std::uint32_t min_leaf = 1;           // rows on each side of a cut
};

// Numbers: d² (1/p + 1/(n − p)) with d the sum of the first p; the numbers add up to 0 and are below 2^25.
void find_number_gains(const LaneNode& node, const std::int32_t* numbers, LaneGains& found);

// How many classes of a node of so many rows fit into the counters.
inline std::uint32_t most_lane_classes(std::uint32_t n_rows) { return n_rows <= 16 ? 16 : 12; }

// Classes: Σ_k l_k² / p + Σ_k r_k² / (n − p). classes: of each row; totals: rows of each class, fewer than n.
void find_class_gains(const LaneNode& node, const std::uint32_t* classes, std::span<const std::uint32_t> totals,
                      LaneGains& found);

}  // namespace tw
