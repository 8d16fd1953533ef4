// The best cut along a direction: project the rows of a node, sort them, and try every cut.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/radix_sort.hpp"
#include "grow/tables/oblique/bits.hpp"
#include "grow/tables/oblique/directions.hpp"
#include "grow/tables/splitter.hpp"

namespace tw {

// A weighted sum of columns and its best cut.
struct SumCut {
  bool found = false;
  double saved = 0;        // bits, in units of weight
  std::size_t n_cuts = 0;  // that there were to choose from
  double threshold = 0;
  bool missing_right = false;  // rows that lack more than half of the sum follow the heavier side
  std::size_t lead = 0;        // the term that counts most; its weight is 1
  std::vector<std::uint32_t> kept;
  std::vector<double> weights, fillers, shares;
  std::vector<std::vector<double>> level_weights;  // of each nominal column: what its levels add; empty for numbers
};

class SumScan {
 public:
  SumScan(const NodeView& node, const StandardizedRows& standardized, const Logarithms& logs, std::int64_t min_leaf);

  SumCut find(const Direction& direction);
  // The branch of every row of the node.
  std::vector<std::uint16_t> route(const SumCut& cut);

 private:
  void project(const SumCut& cut);  // fills sums_ and told_
  void add_levels(const StandardizedColumn& column, std::vector<double> adds);
  bool sort_rows();  // false when all sums are alike, or not finite
  template <class Sides, class Move>
  void scan(SumCut& cut, Sides sides, Move move);
  void set_threshold(SumCut& cut, std::uint32_t last_left) const;
  std::int64_t weight_at(std::size_t i) const { return node_.weighing.weight_of(node_.rows.rows[i]); }

  const NodeView& node_;
  const StandardizedRows& rows_;
  const Logarithms& logs_;
  std::int64_t min_leaf_;
  bool any_missing_;
  std::vector<double> sums_;
  std::vector<std::uint8_t> told_;  // whether a row has enough of the sum
  std::vector<std::uint32_t> keys_;
  RadixScratch scratch_;
  const std::uint64_t* sorted_ = nullptr;
};

// The weighted sums that are tried at a node, and the best of them.
//
// Two classes or numbers: one target. Of three classes and more, each against the rest and one group against the
// others; the target whose full direction does best goes on. Directions come from ridge regression, for classes also
// from ridge-logistic regression, with all columns down to two.

struct SumRules {
  double ridge;
  double price_per_term;  // bits
  double quantum;         // scores that agree to this many bits are equal
  std::int64_t min_leaf;  // rows; no side may have fewer
  double max_terms;       // longer sums only point the way to shorter ones
};

struct PricedSum {
  SumCut cut;
  double saved = 0, price = 0;  // bits
};

class SumSearch {
 public:
  SumSearch(const NodeView& node, const StandardizedRows& standardized, const Logarithms& logs, const SumRules& rules)
      : node_(node), rows_(standardized), rules_(rules), scan_(node, standardized, logs, rules.min_leaf) {}

  // The best score, of equals the one with fewer terms, of those the first. Not found when no direction can be cut.
  PricedSum best();
  std::vector<std::uint16_t> route(const SumCut& cut) { return scan_.route(cut); }

 private:
  void try_numbers();
  void try_classes();
  std::vector<std::vector<std::uint8_t>> groups(std::span<const double> sums, std::span<const double> weights) const;
  void keep(const Direction& direction);
  double score(const PricedSum& sum) const;
  PricedSum priced(const Direction& direction);

  const NodeView& node_;
  const StandardizedRows& rows_;
  SumRules rules_;
  SumScan scan_;
  PricedSum best_;
};

}  // namespace tw
