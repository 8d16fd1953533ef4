// The weighted sums that are tried at a node, and the best of them.
//
// Two classes or numbers: one target. Of three classes and more, each against the rest and one group against the
// others; the target whose full direction does best goes on. Directions come from ridge regression, for classes also
// from ridge-logistic regression, with all columns down to two.
#pragma once

#include "grow/splitter/oblique/sum_scan.hpp"

namespace tw {

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
