// TableSearch: what large nodes are searched by, from tables of counts; it alone knows the criterion. The growing loop
// asks it once a column, so that the loop is compiled once and not for every criterion.
#pragma once

#include <array>     // for array
#include <cstdint>   // for int32_t
#include <optional>  // for optional
#include <vector>    // for vector

#include "grow/exact/finder/levels_by_rate.hpp"
#include "grow/exact/finder/threshold_in_table.hpp"
#include "grow/exact/pair_block.hpp"

namespace tw {

class TableSearch {
 public:
  virtual ~TableSearch() = default;
  // Makes ready for a node; everything below is about this node. What comes back waits for its first candidate.
  virtual Best start(const GrowingNode& s) = 0;
  virtual void find_edge(const CountTable& table, std::int32_t column, Best& best) const = 0;
  virtual void find_levels(std::vector<LevelSum>& levels, const PairSum& missing, std::uint32_t levels_of_column,
                           std::int32_t column, Best& best) const = 0;
  virtual bool mark_open_buckets(const CountTable& table, double reach, std::array<bool, 256>& open) const = 0;
  virtual void find_inside(const OpenRows& rows, const CountTable& table, std::int32_t column, Best& best) const = 0;
};

template <class Criterion>
class TableSearchBy final : public TableSearch {
 public:
  TableSearchBy(const Target& target, const Recipe& recipe) : target_(target), recipe_(recipe) {}

  Best start(const GrowingNode& s) override {
    view_ = view_of(s, target_, recipe_);
    criterion_.emplace(view_.node);
    return Best(criterion_->best_possible(view_.node));
  }
  void find_edge(const CountTable& table, std::int32_t column, Best& best) const override {
    tw::find_edge(table, view_, *criterion_, column, best);
  }
  void find_levels(std::vector<LevelSum>& levels, const PairSum& missing, std::uint32_t levels_of_column,
                   std::int32_t column, Best& best) const override {
    const double charge = level_charge(levels.size(), levels_of_column,
                                       view_.unit * criterion_->best_possible(view_.node) / view_.node.a);
    tw::find_levels(levels, missing, view_, *criterion_, column, charge, best);
  }
  bool mark_open_buckets(const CountTable& table, double reach, std::array<bool, 256>& open) const override {
    return tw::mark_open_buckets(table, view_, *criterion_, reach, open);
  }
  void find_inside(const OpenRows& rows, const CountTable& table, std::int32_t column, Best& best) const override {
    tw::find_inside(rows, table, view_, *criterion_, column, best);
  }

 private:
  const Target& target_;
  const Recipe& recipe_;
  PairView view_;
  std::optional<Criterion> criterion_;
};

}  // namespace tw
