// Oblique: tests of one column or of a weighted sum of several, whichever saves most bits for its price.
//
// What a test saves and what it costs is written in bits.hpp and here: a cut among N costs log2(N), a grouping of L
// levels log2(2^(L−1) − 1), "missing left or right" one bit, and every column of a sum beyond the first
// λ·(log2(n)/2 + log2(columns)) bits. Without these prices sums fit noise, and single trees get worse.
#pragma once

#include "grow/tables/oblique/axis_cut.hpp"
#include "grow/tables/oblique/standardized_rows.hpp"
#include "grow/tables/oblique/sum_search.hpp"
#include "grow/tables/splitter.hpp"

namespace tw {

class Oblique : public Splitter {
 public:
  explicit Oblique(const Recipe& recipe);

  void prepare(const NodeView& root) override;
  void look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const override;
  Decision choose(const NodeView& node, std::span<Found> found, Counter& counter) const override;
  bool is_leaf(const NodeView& node) const override;
  std::optional<std::uint32_t> lists_above() const override { return n_counted_; }
  bool look_at_list(const NodeView& node, std::int32_t column, Found& found) const override;
  std::vector<std::string> extras() const override { return {"price"}; }

 private:
  bool is_usable(const NodeView& node, std::int32_t column, const Found& found) const;
  // The columns for a sum, as places in `found`: of the usable ones those with the best splits of their own.
  std::vector<std::size_t> columns_of_sums(std::span<const Found> found, std::vector<std::size_t> usable, double weight,
                                           double quantum) const;
  StandardizedRows standardize(const NodeView& node, std::vector<std::size_t>& places) const;
  double try_sums(const NodeView& node, std::span<const Found> found, double quantum, double to_beat,
                  Decision& decision) const;
  Split sum_split(const NodeView& node, const SumCut& cut, const StandardizedRows& standardized,
                  std::span<const std::size_t> places) const;
  Split axis_split(const NodeView& node, std::int32_t column, const Found& found, Counter& counter) const;

  std::int64_t min_leaf_;
  double max_terms_, penalty_, ridge_;
  std::vector<double> may_add_;  // of each column: whether it may take part in sums
  bool pays_only_;               // nodes that pruning by price would close anyway are not opened
  bool learns_;
  std::uint32_t n_counted_;  // columns with more codes are kept in order
  int weight_drop_ = 0;      // bits that weights lose in standardized rows
  Logarithms logs_;
  std::vector<std::uint32_t> second_;  // two classes and rows of weight 1: a bit for each row, whether it is the second
};

}  // namespace tw
