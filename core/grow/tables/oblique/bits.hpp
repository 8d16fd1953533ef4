// Bits: what it takes to tell the targets of some rows, and what a split saves of it.
//
// Classes: n·H, from x·log2(x) of the class weights. Each of these is rounded to a step so coarse that every sum of
// them is exact in a double: nothing depends on the order of rows or additions, and equal splits have equal scores.
// Numbers: a Gauss curve around the mean, n/2·log2 of the spread.
#pragma once

#include <cmath>    // for log2, rint
#include <cstdint>  // for int64_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/tables/sums.hpp"

namespace tw {

// x·log2(x) of whole numbers up to `largest`, in steps of which 2^52 make up the largest.
class Logarithms {
 public:
  Logarithms() = default;
  explicit Logarithms(std::int64_t largest);

  double step() const { return step_; }
  double operator()(std::int64_t x) const {
    return static_cast<std::size_t>(x) < table_.size() ? table_[static_cast<std::size_t>(x)] : compute(x);
  }

 private:
  double compute(std::int64_t x) const {
    return x > 1 ? std::rint(double(x) * std::log2(double(x)) * per_step_) * step_ : 0.0;
  }
  double step_ = 1, per_step_ = 1;
  std::vector<double> table_;
};

// The two sides of a cut that wanders through the rows, for classes. In units of weight.
class ClassSides {
 public:
  ClassSides(const Logarithms& logs, std::span<const std::int64_t> node);

  void clear();
  void move(std::uint32_t k, std::int64_t weight) {  // from the right to the left
    Side& side = sides_[k];
    side.left += weight, side.right -= weight, weight_ += weight;
    const double left = logs_(side.left), right = logs_(side.right);
    left_logs_ += left - side.left_log, right_logs_ += right - side.right_log;
    side.left_log = left, side.right_log = right;
  }
  void move(std::span<const std::int64_t> classes) {
    for (std::uint32_t k = 0; k < classes.size(); ++k)
      if (classes[k]) move(k, classes[k]);
  }
  std::int64_t left_weight() const { return weight_; }
  std::int64_t right_weight() const { return total_ - weight_; }
  double most() const { return logs_(total_) - node_logs_; }  // bits of the node itself
  double merit() const {                                      // bits that are saved
    const double saved =
        (logs_(total_) - node_logs_) - (logs_(weight_) - left_logs_) - (logs_(total_ - weight_) - right_logs_);
    return saved > 0 ? saved : 0;
  }
  static double bits_of(double merit) { return merit; }

 private:
  struct Side {
    std::int64_t left, right;
    double left_log, right_log;
  };
  const Logarithms& logs_;
  std::vector<std::int64_t> node_;
  std::vector<Side> sides_;
  std::int64_t total_ = 0, weight_ = 0;
  double node_logs_ = 0, left_logs_ = 0, right_logs_ = 0;
};

// The same for numbers. Bits grow with the share of the spread that a cut explains, so that is what is compared.
class NumberSides {
 public:
  explicit NumberSides(const NumberSum& node);

  void clear() { left_ = {}; }
  void move(const NumberSum& sum) { left_.weight += sum.weight, left_.first += sum.first; }
  void move(std::int64_t weight, std::int64_t level) {
    left_.weight += weight, left_.first += static_cast<__int128>(weight) * level;
  }
  std::int64_t left_weight() const { return left_.weight; }
  std::int64_t right_weight() const { return node_.weight - left_.weight; }
  double most() const;
  double merit() const {  // the share of the spread between the sides, in steps of 2^-40
    const double l = double(left_.weight), r = double(node_.weight - left_.weight);
    if (l <= 0 || r <= 0 || spread_ <= 0) return 0;
    const double apart = double(left_.first - middle_ * left_.weight) - rest_ * (l / (l + r));
    return std::rint(apart * apart * (1 / l + 1 / r) / spread_ * 1099511627776.0);
  }
  double bits_of(double merit) const;

 private:
  NumberSum node_, left_;
  __int128 middle_ = 0;
  double rest_ = 0, spread_ = 0;
};

}  // namespace tw
