// GainRatio: C4.5. The column with the largest gain ratio among those whose gain is not below the mean; rows without a
// value go down every branch in pieces. core/grow/c45/ has the tests of one column.
#pragma once

#include <memory>  // for unique_ptr

#include "grow/tables/c45/gain_ratio.hpp"
#include "grow/tables/splitter.hpp"

namespace tw {

class GainRatio : public Splitter {
 public:
  explicit GainRatio(const Options& options);

  void prepare(const NodeView& root) override;
  void look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const override;
  Decision choose(const NodeView& node, std::span<Found> found, Counter& counter) const override;
  bool is_leaf(const NodeView& node) const override;
  bool may_spread() const override { return true; }

 private:
  double weight_of_all(const NodeView& root) const;
  C45Worth look_at_levels(const RankedColumn& column, const ColumnCounts& counts, const ClassTable& table,
                          Workers& workers, Found& found) const;
  Split split_of(const NodeView& node, std::int32_t column, const Found& found) const;
  void set_threshold(const RankedColumn& column, std::int32_t c, const Found& found, Split& split) const;
  void set_levels(const RankedColumn& column, const Found& found, Split& split) const;

  C45Rules rules_;
  double whole_weight_ = 0;  // of the table that the rows are a part of; 0: they are all
  std::unique_ptr<Bits> bits_;
  std::vector<std::vector<bool>> occurs_;  // of each numeric column's codes: in some row that counts; empty: all do
  std::vector<bool> far_apart_;            // every two values of the column are further apart than the gap
  std::vector<bool> has_many_levels_;      // its gain says little about a column with a level for every third row
};

}  // namespace tw
