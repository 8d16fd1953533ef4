// Scores of cuts. The score of a cut is G²/(H + l2) of its two sides, added; the gain is half of what it has more than
// the undivided node. Everything is in units of the fixed point.
//
// Most cuts are worse than the best one found so far, and to see that takes no division: with a = G_l²·(H_r + l2) +
// G_r²·(H_l + l2) and b = (H_l + l2)·(H_r + l2) the score is a/b, and a ≤ bar·b says enough. Eight cuts are looked at
// together; there is a vector form, chosen at run time, that gives the same answers.
#pragma once

#include <cstdint>  // for int64_t, uint32_t

#include "boost/words.hpp"

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
};

constexpr std::uint32_t kCutsTogether = 8;

// Some neighbouring cuts: those whose bit is set may score more than the bar.
template <class Word>
struct CutHits {
  std::uint32_t first = 0, bits = 0;
  Word left[kCutsTogether] = {};  // what stands on the left of each
};

// A walk along the sums of bins or levels, in the order in which they are cut: cut i divides 0 … i from the rest.
template <class Word>
class CutScan {
 public:
  // base: what stands on the left before the first bin (rows without a value, or nothing).
  CutScan(const Word* line, std::uint32_t n, const Word& base, const NodeSides& node)
      : line_(line), n_(n), carry_(base), node_(node) {}

  // The next cuts of which one may score more than bar; false at the end.
  bool next(double bar, CutHits<Word>& hits);

 private:
  const Word* line_;
  std::uint32_t n_, at_ = 0;
  Word carry_;
  NodeSides node_;
};

}  // namespace tw
