// Criteria on class counts (three classes or more): left and right are arrays of class weights in exact integers.
//
// score(left, right) is the criterion of a two-way split, larger is better; scale(counts) the largest it could be.
// Gini, entropy and error are additive like those of criterion/pair.hpp: score = phi(left) + phi(right), and phi of a
// branch of its own (missing rows) or of the parent is added by the finder. Twoing and Hellinger are not (phi is 0).
// A scan moves one class at a time through move(); what it keeps is exact, so the order of rows does not matter.
#pragma once

#include <algorithm>  // for max
#include <cmath>      // for log, sqrt
#include <cstdint>    // for int64_t
#include <span>       // for span

#include "grow/criterion/pair.hpp"  // for x_log_x

namespace tw {

using Counts = std::span<std::int64_t>;
using ConstCounts = std::span<const std::int64_t>;

inline std::int64_t total_of(ConstCounts counts) {
  std::int64_t sum = 0;
  for (auto c : counts) sum += c;
  return sum;
}

// What the simple criteria share: nothing is kept while a class moves.
struct MovesOnly {
  static constexpr bool kThirdBranch = false;       // knows how to score a branch beside the two
  static double known_factor(double) { return 1; }  // of a score that is taken over a share of the node only
  Counts left, right;
  std::int64_t n_left = 0, n_right = 0;
  void start(Counts l, Counts r) { left = l, right = r, n_left = total_of(l), n_right = total_of(r); }
  void move(std::uint32_t k, std::int64_t w) {
    left[k] += w, right[k] -= w;
    n_left += w, n_right -= w;
  }
};

// Square: an integer that holds the square of the node's weight.
template <class Square>
struct ClassGini : MovesOnly {  // Σ_k n_k² / n − n
  static constexpr bool kAdditive = true;
  Square squares_left = 0, squares_right = 0;
  static Square squares(ConstCounts counts) {
    Square sum = 0;
    for (auto c : counts) sum += static_cast<Square>(c) * c;
    return sum;
  }
  static double phi(Square sum_of_squares, std::int64_t n) {
    return n > 0 ? -static_cast<double>(static_cast<Square>(n) * n - sum_of_squares) / static_cast<double>(n) : 0;
  }
  static double phi(ConstCounts counts) { return phi(squares(counts), total_of(counts)); }
  static double scale(ConstCounts counts) { return -phi(counts); }
  void start(Counts l, Counts r) {
    MovesOnly::start(l, r);
    squares_left = squares(l), squares_right = squares(r);
  }
  void move(std::uint32_t k, std::int64_t w) {
    squares_left += static_cast<Square>(w) * (2 * left[k] + w);
    squares_right += static_cast<Square>(w) * (w - 2 * right[k]);
    MovesOnly::move(k, w);
  }
  double score() const { return phi(squares_left, n_left) + phi(squares_right, n_right); }
};
using NarrowClassGini = ClassGini<std::int64_t>;  // weights below 2^31 units
using WideClassGini = ClassGini<__int128>;

struct ClassEntropy : MovesOnly {  // Σ_k n_k ln(n_k / n)
  static constexpr bool kAdditive = true;
  static double phi(ConstCounts counts) {
    const XLogX x_log_x;
    double sum = 0;
    for (auto c : counts) sum += x_log_x(static_cast<double>(c));
    return sum - x_log_x(static_cast<double>(total_of(counts)));
  }
  static double scale(ConstCounts counts) { return -phi(counts); }
  double score() const { return phi(left) + phi(right); }
};

struct ClassError : MovesOnly {  // max_k n_k − n
  static constexpr bool kAdditive = true;
  static double phi(ConstCounts counts) {
    std::int64_t most = 0;
    for (auto c : counts) most = std::max(most, c);
    return static_cast<double>(most - total_of(counts));
  }
  static double scale(ConstCounts counts) { return -phi(counts); }
  double score() const { return phi(left) + phi(right); }
};

struct ClassTwoing : MovesOnly {  // p_L p_R / 4 · (Σ_k |p_kL − p_kR|)²
  static constexpr bool kAdditive = false;
  static double known_factor(double share) { return share; }
  static double phi(ConstCounts) { return 0; }
  static double scale(ConstCounts) { return 1; }
  double score() const {
    if (n_left == 0 || n_right == 0) return 0;
    double sum = 0;
    for (std::size_t k = 0; k < left.size(); ++k)
      sum += std::abs(static_cast<double>(left[k]) / n_left - static_cast<double>(right[k]) / n_right);
    const double n = static_cast<double>(n_left + n_right);
    return (n_left / n) * (n_right / n) / 4 * sum * sum;
  }
};

struct ClassHellinger : MovesOnly {  // the largest squared distance of one class against the rest
  static constexpr bool kAdditive = false;
  static constexpr bool kThirdBranch = true;
  static double known_factor(double share) { return share * share; }  // the score is the square of the distance
  static double phi(ConstCounts) { return 0; }
  static double scale(ConstCounts) { return 2; }
  ConstCounts third;  // a branch beside the two, or empty

  double score() const {
    const std::int64_t n_third = total_of(third);
    const double n = static_cast<double>(n_left + n_right + n_third);
    double best = 0;
    for (std::size_t k = 0; k < left.size(); ++k) {
      const std::int64_t in_third = third.empty() ? 0 : third[k];
      const double in = static_cast<double>(left[k] + right[k] + in_third), out = n - in;
      if (in <= 0 || out <= 0) continue;
      auto part = [&](std::int64_t in_branch, std::int64_t branch) {
        const double d = std::sqrt(in_branch / in) - std::sqrt((branch - in_branch) / out);
        return d * d;
      };
      best = std::max(best, part(left[k], n_left) + part(right[k], n_right) + part(in_third, n_third));
    }
    return best;
  }
};

}  // namespace tw
