// Levels put together as C4.5 release 8 does it (-s): start with a block for each level, merge the best pair while that
// raises the gain ratio. Every merger is tried, so a column with L levels costs about L⁴ × classes / 12 additions at
// worst; the spread of a pair is kept, which leaves L³.
#pragma once

#include <utility>  // for swap
#include <vector>   // for vector

#include "base/workers.hpp"
#include "grow/tables/c45/gain_ratio.hpp"

namespace tw {

class LevelClimb {
 public:
  LevelClimb(const ClassTable& table, const C45Rules& rules, const Bits& bits, Workers& workers)
      : table_(table), sums_(table.sums), rules_(rules), bits_(bits), workers_(workers) {}

  // blocks() tells the places of each branch's levels when the answer is usable. Levels of half a row or less are in
  // none of them.
  C45Worth run() {
    if (sums_.known < C45Rules::kEpsilon) return {};
    start();
    while (blocks_.size() > 2 && merge_best()) {
    }
    return finish();
  }

  const std::vector<std::vector<std::uint32_t>>& blocks() const { return levels_; }

 private:
  // Weights may be sums of pieces, which are rounded.
  static bool is_at_least(double weight, double least) { return weight > least - C45Rules::kTiny; }

  struct Block {
    std::vector<double> classes;
    double weight = 0;
  };
  struct Score {
    double gain = -C45Rules::kEpsilon, info = 0;
    double worth() const {
      return gain >= -C45Rules::kRounding && info > C45Rules::kEpsilon ? gain / info : -C45Rules::kEpsilon;
    }
  };

  double spread(const Block& block) const { return table_.spread(block.classes.data(), block.weight, bits_); }

  // after: Σ weight × entropy, sizes: Σ w log2 w, weight: of all blocks. Levels that are in no block count as told
  // apart.
  Score score(double after, double sizes, double weight, std::size_t large) const {
    Score found;
    if (large >= 2) found.gain = sums_.known / sums_.total * (sums_.base - after) / sums_.known;
    found.info = (bits_(weight + sums_.missing) - sizes - bits_(sums_.missing)) / sums_.total;
    return found;
  }

  void start() {
    blocks_.clear(), levels_.clear();
    double after = 0, sizes = 0;
    std::size_t large = 0;
    for (std::size_t l = 0; l < table_.n_levels(); ++l) {
      after += table_.spread(table_.level(l), table_.weights[l], bits_);
      sizes += bits_(table_.weights[l]);
      large += is_at_least(table_.weights[l], 1);
      if (table_.weights[l] <= 0.5 + C45Rules::kTiny) continue;
      blocks_.push_back({{table_.level(l), table_.level(l) + table_.n_classes}, table_.weights[l]});
      levels_.push_back({static_cast<std::uint32_t>(l)});
    }
    const std::size_t before = blocks_.size();
    merge_pure();
    now_ = blocks_.size() < before ? score_of_blocks() : score(after, sizes, sums_.known, large);
    half_ = now_.gain / 2;
  }

  // Pure blocks of the same class are one.
  void merge_pure() {
    for (std::size_t first = 0; first + 1 < blocks_.size(); ++first) {
      std::size_t pure = 0;
      while (!is_at_least(blocks_[first].classes[pure], 0.1)) ++pure;
      if (!is_pure(blocks_[first], pure)) continue;
      for (std::size_t other = first + 1; other < blocks_.size();) {
        if (is_pure(blocks_[other], pure))
          merge(first, other);
        else
          ++other;
      }
    }
  }
  static bool is_pure(const Block& block, std::size_t k) { return is_at_least(block.classes[k], block.weight - 0.1); }

  // b joins a, and the last block takes the place of b: the order that decides between equals is release 8's.
  void merge(std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < table_.n_classes; ++k) blocks_[a].classes[k] += blocks_[b].classes[k];
    blocks_[a].weight += blocks_[b].weight;
    levels_[a].insert(levels_[a].end(), levels_[b].begin(), levels_[b].end());
    if (b + 1 < blocks_.size()) {
      std::swap(blocks_[b], blocks_.back());
      std::swap(levels_[b], levels_.back());
    }
    blocks_.pop_back();
    levels_.pop_back();
  }

  Score score_of_blocks() const {
    double after = 0, sizes = 0, weight = 0;
    std::size_t large = 0;
    for (const Block& block : blocks_) {
      after += spread(block);
      sizes += bits_(block.weight);
      weight += block.weight;
      large += is_at_least(block.weight, 1);
    }
    return score(after, sizes, weight, large);
  }

  // The score if a and b were one.
  Score score_of_pair(std::size_t a, std::size_t b) {
    pair_ = blocks_[a];
    for (std::size_t k = 0; k < table_.n_classes; ++k) pair_.classes[k] += blocks_[b].classes[k];
    pair_.weight += blocks_[b].weight;
    double after = spread(pair_), sizes = bits_(pair_.weight), weight = pair_.weight;
    std::size_t large = is_at_least(pair_.weight, 1);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (i == a || i == b) continue;
      after += spreads_[i];
      sizes += bits_(blocks_[i].weight);
      weight += blocks_[i].weight;
      large += is_at_least(blocks_[i].weight, 1);
    }
    return score(after, sizes, weight, large);
  }

  // False when no merger is wanted any more.
  bool merge_best() {
    std::size_t reasonable = 0, barred = 0;
    spreads_.clear();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      spreads_.push_back(spread(blocks_[i]));
      reasonable += is_at_least(blocks_[i].weight, rules_.min_weight);
      if (blocks_[i].weight > blocks_[barred].weight + C45Rules::kTiny) barred = i;
    }
    if (reasonable >= 3) barred = blocks_.size();  // nobody
    bool found = false;
    Score best;
    std::size_t best_a = 0, best_b = 0;
    for (std::size_t a = 0; a + 1 < blocks_.size(); ++a) {
      workers_.checkpoint();
      for (std::size_t b = a + 1; b < blocks_.size(); ++b) {
        if (a == barred || b == barred) continue;
        const Score offer = score_of_pair(a, b);
        const double half = half_ - C45Rules::kRounding;
        const bool reaches_half = offer.gain >= half && best.gain < half;
        const bool forced = !found && reasonable < 2;
        if (!reaches_half && !forced && offer.worth() < (found ? best.worth() : 0) - C45Rules::kRounding) continue;
        found = true, best = offer, best_a = a, best_b = b;
      }
    }
    if (!found || (reasonable >= 2 && best.worth() < now_.worth() + 1e-5)) return false;
    merge(best_a, best_b);
    now_ = best;
    return true;
  }

  C45Worth finish() {
    std::size_t large = 0;
    for (const Block& block : blocks_) large += is_at_least(block.weight, rules_.min_weight);
    if (now_.worth() <= C45Rules::kRounding || large < 2) return {};
    C45Worth worth;
    worth.usable = true;
    worth.gain = score_of_blocks().gain;
    worth.split_info = now_.info;
    worth.ratio = worth.split_info > 0 ? worth.gain / worth.split_info : 0;
    return worth;
  }

  const ClassTable& table_;
  const C45Sums& sums_;
  const C45Rules& rules_;
  const Bits& bits_;
  Workers& workers_;  // hears Ctrl-C
  Score now_;
  double half_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::vector<std::uint32_t>> levels_;
  std::vector<double> spreads_;
  Block pair_;
};

// Tests of a nominal column: one branch for each level, or one level against the rest (J48's -B).

class LevelTests {
 public:
  LevelTests(const ClassTable& table, const C45Rules& rules, const Bits& bits)
      : table_(table), rules_(rules), bits_(bits) {}

  C45Worth multiway() const {
    std::size_t large = 0;
    for (std::size_t l = 0; l < table_.n_levels(); ++l) large += is_large(table_.weights[l]);
    if (large < 2) return {};
    double after = 0, sizes = 0;
    for (std::size_t l = 0; l < table_.n_levels(); ++l) {
      const double *level = table_.level(l), size = bits_(table_.weights[l]);
      double inner = 0;
      for (std::size_t k = 0; k < table_.n_classes; ++k) inner += bits_(level[k]);
      after += size - inner;
      sizes += size;
    }
    C45Worth worth;
    worth.usable = true;
    worth.gain = c45_gain(table_.sums, after);
    set_ratio(worth, table_.sums, sizes, bits_);
    return worth;
  }

  // The level with the largest ratio, the first of equals; `place` is its place in the table.
  C45Worth one_against_the_rest() {
    C45Worth best;
    for (std::size_t l = 0; l < table_.n_levels(); ++l) {
      if (!is_large(table_.weights[l]) || !is_large(table_.sums.known - table_.weights[l])) continue;
      const C45Worth worth = one_level(l);
      if (!best.usable || worth.ratio > best.ratio + C45Rules::kTiny) best = worth;
    }
    return best;
  }

 private:
  bool is_large(double weight) const { return weight > rules_.min_weight - C45Rules::kTiny; }

  C45Worth one_level(std::size_t l) {
    const double inside = table_.weights[l], outside = table_.sums.known - inside;
    rest_.resize(table_.n_classes);
    for (std::size_t k = 0; k < table_.n_classes; ++k) rest_[k] = table_.classes[k] - table_.level(l)[k];
    const double after = table_.spread(table_.level(l), inside, bits_) + table_.spread(rest_.data(), outside, bits_);
    C45Worth worth;
    worth.usable = true, worth.place = static_cast<std::uint32_t>(l);
    worth.gain = c45_gain(table_.sums, after);
    set_ratio(worth, table_.sums, bits_(inside) + bits_(outside), bits_);
    return worth;
  }

  const ClassTable& table_;
  const C45Rules& rules_;
  const Bits& bits_;
  std::vector<double> rest_;
};

}  // namespace tw
