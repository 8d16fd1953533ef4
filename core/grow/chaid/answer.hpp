// Answer: what a test of groups says; and the order of answers.
#pragma once

#include <cmath>  // for abs, log1p, nearbyint

namespace tw::chaid {

struct Answer {
  double statistic = 0, df = 0, df_within = 0;  // df_within: of an F test, else 0
  double log_p = 0;                             // natural logarithm; nothing to compare: p = 1
};

// The place of a statistic or of a log p-value among others, coarse enough that rounding cannot tell equals apart:
// near zero steps of 2^-36, far away the same share of the value. Larger p-values have smaller ranks.
inline double rank_of(double number) { return std::nearbyint(std::log1p(std::abs(number)) * 0x1p36); }

// A statistic of counts that adds up to no more than rounding is none: at one degree of freedom a statistic of 1e-16
// has a p-value visibly below 1, and equal groups would be told apart by it. `weight` is that of all rows compared.
inline double without_rounding(double statistic, double weight) {
  return statistic < 1e-10 + 1e-15 * weight ? 0 : statistic;
}

// How alike two groups are: larger p, then smaller statistic. Sorted by what is most alike.
struct Likeness {
  double p_rank, statistic_rank;

  explicit Likeness(const Answer& answer) : p_rank(rank_of(answer.log_p)), statistic_rank(rank_of(answer.statistic)) {}
  bool operator<(const Likeness& other) const {
    return p_rank != other.p_rank ? p_rank < other.p_rank : statistic_rank < other.statistic_rank;
  }
};

}  // namespace tw::chaid
