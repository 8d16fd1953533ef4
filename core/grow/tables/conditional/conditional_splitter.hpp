// Conditional: conditional inference trees (Hothorn, Hornik and Zeileis 2006). Every column is tested for association
// with the target by its permutation distribution; the most significant one is cut, where it is significant at all.
// Only then are its values looked at, so columns with many values have no advantage.
#pragma once

#include "grow/tables/conditional/best_cut.hpp"
#include "grow/tables/conditional/p_values.hpp"
#include "grow/tables/splitter.hpp"

namespace tw {

class Conditional : public Splitter {
 public:
  explicit Conditional(const Recipe& recipe);

  void prepare(const NodeView& root) override;
  void look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const override;
  Decision choose(const NodeView& node, std::span<Found> found, Counter& counter) const override;
  bool is_leaf(const NodeView& node) const override;
  bool may_spread() const override { return missing_ == "fractional"; }
  std::vector<std::string> extras() const override { return {"statistic", "df", "log_p", "log_p_adjusted"}; }

 private:
  double log_p(const NodeView& node, std::int32_t column, const ColumnCounts& counts, const Deviations& deviations,
               std::span<const double> scores, const Found& found) const;
  std::vector<std::size_t> rank(const NodeView& node, std::span<Found> found) const;
  std::optional<Split> cut(const NodeView& node, std::int32_t column, Counter& counter) const;
  void send_missing(const ColumnCounts& counts, const Cut& cut, bool in_cut, Split& split) const;

  void find_surrogates(const NodeView& node, Split& split) const;

  double log_alpha_, min_split_, min_leaf_, min_share_;
  std::size_t tries_;
  bool adjusts_, permutes_;
  std::vector<double> class_scores_;  // of an ordinal target; empty otherwise
  StatisticKind kind_, cut_kind_;
  Permuting permuting_;
  std::string missing_;
  std::size_t most_surrogates_;
  std::vector<std::vector<double>> scores_;  // ordered columns: what each code counts as
};

}  // namespace tw
