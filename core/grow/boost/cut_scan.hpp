// Scores of cuts. The score of a cut is G²/(H + l2) of its two sides, added; the gain is half of what it has more than
// the undivided node. Everything is in units of the fixed point.
//
// Most cuts are worse than the best one found so far, and to see that takes no division: with a = G_l²·(H_r + l2) +
// G_r²·(H_l + l2) and b = (H_l + l2)·(H_r + l2) the score is a/b, and a ≤ bar·b says enough. Many cuts are looked at
// together in floats, roughly: those near the bar pass too. Only where one passes is each looked at again in doubles.
#pragma once

#include <algorithm>  // for min
#include <cstdint>    // for int64_t, uint32_t
#include <vector>     // for vector

#include "grow/boost/boosted_node.hpp"

namespace tw {

struct NodeSides {
  GradientSum whole;  // of the node
  double l2 = 0;      // in units of the hessian
  double least = 1;   // hessian that a side must have, in units

  double score_of(const GradientSum& side) const {
    const double g = static_cast<double>(side.gradient);
    return g * g / (static_cast<double>(side.hessian) + l2);
  }
  double score(const GradientSum& left) const { return score_of(left) + score_of(whole - left); }

  bool is_above(const GradientSum& left, double bar) const {
    const double gl = static_cast<double>(left.gradient), hl = static_cast<double>(left.hessian);
    const double gr = static_cast<double>(whole.gradient) - gl, hr = static_cast<double>(whole.hessian) - hl;
    const double pl = hl + l2, pr = hr + l2;
    return (gl * gl * pr + gr * gr * pl > bar * (pl * pr)) & (hl >= least) & (hr >= least);
  }
};

constexpr std::uint32_t kCutsTogether = 16;

// The sums of a line of bins or levels from the first one up to each, in the order in which they are cut: cut i
// divides 0 … i from the rest.
template <class Word>
class RunningSums {
 public:
  void add_up(const Word* line, std::uint32_t n);
  std::uint32_t size() const { return n_; }
  GradientSum operator[](std::uint32_t cut) const { return sum_of(sums_[cut]); }
  const Word* data() const { return sums_.data(); }  // filled up with the last one to a whole group of cuts

 private:
  std::uint32_t n_ = 0;
  std::vector<Word> sums_;
};

// A walk along the cuts of a line, from group to group, past those that hold nothing.
template <class Word>
class CutScan {
 public:
  // base: what stands on the left before the first bin (rows without a value, or nothing).
  CutScan(const RunningSums<Word>& sums, const GradientSum& base, const NodeSides& node)
      : sums_(sums), base_(base), node_(node) {}

  // On to the next cuts of which one may score more than bar: first() … end() − 1. False at the end.
  bool next(double bar);
  std::uint32_t first() const { return first_; }
  std::uint32_t end() const { return std::min(sums_.size(), first_ + kCutsTogether); }

 private:
  const RunningSums<Word>& sums_;
  GradientSum base_;
  NodeSides node_;
  std::uint32_t first_ = 0, next_ = 0;
};

}  // namespace tw
