// The best cut along a direction: project the rows of a node, sort them, and try every cut.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/radix_sort.hpp"
#include "grow/splitter/oblique/bits.hpp"
#include "grow/splitter/oblique/directions.hpp"
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

}  // namespace tw
