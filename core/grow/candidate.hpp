// Candidate: a split that was found but is not stored yet; and the one total order in which candidates are ranked.
//
// The order: larger quantised score, then smaller column, then smaller cut, then missing goes left. Quantised, because
// an epsilon comparison is not transitive and would make the winner depend on who is compared first. In forests the
// order of the columns is drawn for each node: in the nodes of few rows many columns are level, and were it always the
// first of them that won, the trees would be alike.
#pragma once

#include <cmath>    // for floor
#include <cstdint>  // for int64_t
#include <vector>   // for vector

#include "base/counted_random.hpp"

namespace tw {

enum class CutKind : std::uint8_t { none, threshold, levels };

struct Candidate {
  std::int64_t quantum = -1;  // quantised score; -1 = nothing found yet
  std::int32_t column = -1;
  std::uint32_t cut = 0;  // ordered columns: known rows left of the cut; levels: rank of the subset tried
  bool missing_left = true;
  CutKind kind = CutKind::none;
  bool known_or_missing = false;  // every known row left, every missing row right
  std::uint32_t bucket = 0;       // threshold in a large node: the bucket that the cut closes or divides
  bool inside = false;            // it divides the bucket: rows up to left_value go left
  double left_value = 0;
  std::vector<std::uint32_t> left_levels;  // levels: the codes that go to branch 0

  bool found() const { return quantum >= 0; }
  // The score as a share of the best possible one.
  double share() const { return static_cast<double>(quantum) / 1099511627776.0; }
};

// Whether column a wins a tie against b: by words that a key draws, or as the smaller one where it is 0.
inline bool comes_before(std::int32_t a, std::int32_t b, std::uint64_t tie_key) {
  if (tie_key == 0) return a < b;
  const std::uint64_t of_a = drawn(tie_key, static_cast<std::uint64_t>(a));
  const std::uint64_t of_b = drawn(tie_key, static_cast<std::uint64_t>(b));
  return of_a != of_b ? of_a < of_b : a < b;
}

inline bool ranks_above(const Candidate& a, const Candidate& b, std::uint64_t tie_key) {
  if (a.quantum != b.quantum) return a.quantum > b.quantum;
  if (a.column != b.column) return comes_before(a.column, b.column, tie_key);
  if (a.cut != b.cut) return a.cut < b.cut;
  return a.missing_left && !b.missing_left;
}
inline bool better(const Candidate& a, const Candidate& b) { return ranks_above(a, b, 0); }

// The best candidate so far, with the score that the next one has to reach.
class Best {
 public:
  explicit Best(double best_possible_score, std::uint64_t tie_key = 0)
      : per_score_(best_possible_score > 0 ? kQuanta / best_possible_score : 0), tie_key_(tie_key) {}

  const Candidate& get() const { return best_; }
  Candidate& get() { return best_; }

  // A score below this cannot win, not even a tie.
  double reach() const { return reach_; }
  // A score below this cannot win against the present best unless by a smaller column or cut.
  double beat() const { return beat_; }

  std::int64_t quantise(double score) const {
    return score > 0 ? static_cast<std::int64_t>(std::floor(score * per_score_ + 0.5)) : 0;
  }

  // Whether a column wins against the present best where both score the same.
  bool wins_ties(std::int32_t column) const { return comes_before(column, best_.column, tie_key_); }

  // True when (quantum, column, cut, side) ranks above the present best; the caller then fills in the rest.
  bool offer(double score, std::int32_t column, std::uint32_t cut, bool missing_left) {
    const std::int64_t quantum = quantise(score);
    if (quantum < best_.quantum) return false;  // the usual case
    Candidate next;
    next.quantum = quantum;
    next.column = column, next.cut = cut, next.missing_left = missing_left;
    if (!ranks_above(next, best_, tie_key_)) return false;
    best_ = std::move(next);
    raise(best_.quantum);
    return true;
  }

  void merge(Best&& other) {
    if (!ranks_above(other.best_, best_, tie_key_)) return;
    best_ = std::move(other.best_);
    raise(best_.quantum);
  }

  // Lets a search skip what cannot reach a quantum already found elsewhere.
  void raise(std::int64_t quantum) {
    if (per_score_ <= 0 || quantum < floor_) return;
    floor_ = quantum;
    reach_ = (static_cast<double>(quantum) - 0.5) / per_score_ * (1 - 1e-9);
    beat_ = (static_cast<double>(quantum) + 0.5) / per_score_ * (1 - 1e-12);
    if (quantum == 0) reach_ = -1e300;
  }

 private:
  static constexpr double kQuanta = 1099511627776.0;  // 2^40
  double per_score_;
  std::uint64_t tie_key_;
  double reach_ = -1e300, beat_ = -1e300;
  std::int64_t floor_ = 0;
  Candidate best_;
};

// Adds what one column has to offer to the list of all, and lets it compete for the best.
inline void keep_best(Best&& own, Best& best, std::vector<Candidate>& each) {
  if (!own.get().found()) return;
  each.push_back(own.get());
  best.merge(std::move(own));
}

}  // namespace tw
