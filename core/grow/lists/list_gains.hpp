// The largest gain of a cut of a sorted list, in single precision (large nodes with classes: double): columns that come
// near the largest of all are then searched again in whole numbers, the others cannot win.
#pragma once

#include <array>    // for array
#include <cstdint>  // for int64_t
#include <span>     // for span
#include <vector>   // for vector

namespace tw {

// What a cut may be allowed to lose by the quantised scores of two candidates that tie (candidate.hpp), as a share of
// the best possible score.
constexpr double kTieShare = 1.0 / (1ull << 38);

// A cut whose gain is below this is not the best, given the largest gain of all. Numbers: their sums may be wrong by
// `error`, and their squares add up to `squares`.
float least_number_gain(float largest, double error, double squares);
double least_class_gain(double largest, std::uint32_t n);

// Numbers: d² (1/p + 1/(n − p)), with d the sum of the first p numbers less their share of the whole.
class NumberGains {
 public:
  // A node, by any of its lists. values: by row, all that is known of them is that their sums fit into 64 bits.
  void start(const std::uint32_t* list, std::uint32_t n, const std::int64_t* values, std::int64_t sum,
             std::uint32_t min_leaf);
  // Of a list of the node; below 0: it has no cut.
  float most(const std::uint32_t* list);
  // A column whose largest gain is below this has not the best cut, given the largest gain of all columns.
  float least(float largest) const;

 private:
  std::uint32_t n_ = 0;
  int shift_ = 0;
  double squares_ = 0, error_ = 0;
  std::vector<std::int32_t> centred_;  // by row
  std::vector<float> factor_;          // 1/p + 1/(n − p); negative where no cut is allowed
};

// Classes: Σ_k l_k² / p + Σ_k r_k² / (n − p).
class ClassGains {
 public:
  // totals: rows of each class at the node.
  void start(std::span<const std::int64_t> totals, std::uint32_t n, std::uint32_t min_leaf);
  // Of two lists of the node; 0: it has no cut. class_of: by row. Two, because a counter that was just written is not
  // at once there to be read.
  using Two = std::array<double, 2>;
  Two most(const std::uint32_t* list, const std::uint32_t* other, const std::uint16_t* class_of);
  Two most(const std::uint64_t* list, const std::uint64_t* other, const std::uint16_t* class_of);
  double least(double largest) const;

 private:
  template <class Rows, class Word>
  Two most_by(const Word* list, const Word* other, const std::uint16_t* class_of);

  // 1/p and 1/(n − p) by the place of the cut; 0 where none is allowed
  template <class Real>
  struct Shares {
    std::vector<Real> left, right;
    void start(std::uint32_t n, std::uint32_t min_leaf);
  };
  template <class Real>
  const Shares<Real>& shares() const;

  std::uint32_t n_ = 0;
  std::int64_t squares_ = 0;
  Shares<float> single_;
  Shares<double> double_;
  std::vector<std::int64_t> totals_;
  std::vector<std::uint64_t> entries_;  // of each class, for either list
};

}  // namespace tw
