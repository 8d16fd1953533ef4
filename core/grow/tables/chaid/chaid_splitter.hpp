// CHAID as a splitter (MergedCategories); and bins: a numeric column becomes an ordered one of few categories, once, on
// the rows of the root.
#pragma once

#include <cstdint>  // for uint8_t
#include <memory>   // for unique_ptr
#include <span>     // for span
#include <vector>   // for vector

#include "grow/tables/chaid/merge_categories.hpp"
#include "grow/tables/splitter.hpp"
#include "table/ranks.hpp"
#include "table/target.hpp"

namespace tw::chaid {

// The bins of ascending numbers that have these weights: the largest number of each bin, and the bin of each number.
struct Bins {
  std::vector<double> uppers;
  std::vector<std::uint8_t> of_value;
};
Bins bins_of(std::span<const double> values, std::span<const std::int64_t> weight, int bins);

// A number belongs to bin ceil(bins × share of the weight at or below it); bins that no number falls into do not exist.
// Afterwards the codes are bins from 1, and the value of a code is the largest number of its bin. At most 255 bins.
// by_rows: every row counts once.
void bin_numbers(RankedColumn& column, std::span<const std::uint32_t> rows, const Target& target, int bins,
                 bool by_rows);

}  // namespace tw::chaid

namespace tw {

// MergedCategories: CHAID. Categories of a column that do not differ significantly become one branch; the column with
// the smallest adjusted p-value is taken. chaid/ has the tests and the merging.

class MergedCategories : public Splitter {
 public:
  explicit MergedCategories(const Recipe& recipe);

  void recode(RankedTable& table, std::span<const std::uint32_t> rows, const Target& target) override;
  void look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const override;
  Decision choose(const NodeView& node, std::span<Found> found, Counter& counter) const override;
  bool is_leaf(const NodeView& node) const override;
  std::vector<std::string> extras() const override { return {"statistic", "df", "log_p", "log_p_adjusted"}; }

 private:
  // One column's categories at a node: the known codes, and missing after them where it is a category.
  struct Categories {
    std::unique_ptr<chaid::Cells> cells;
    chaid::Merging merging;
    std::size_t count;
  };
  Categories categories(const NodeView& node, std::int32_t column, const ColumnCounts& counts) const;
  std::unique_ptr<chaid::Cells> sampled_cells(const NodeView& node, std::int32_t column, const ColumnCounts& counts,
                                              bool with_missing, std::size_t slots) const;
  Split split_of(const NodeView& node, std::int32_t column, const ColumnCounts& counts,
                 const chaid::Partition& partition) const;

  chaid::MergeRules rules_;
  std::string statistic_;
  std::vector<double> scores_;
  double log_alpha_split_, smallest_node_, smallest_branch_;
  int bins_;
  bool missing_is_category_, missing_goes_to_larger_;
  bool sampled_;  // weights say how many others a row stands for, not how often it occurred
};

}  // namespace tw
