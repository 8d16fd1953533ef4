// Finds the best threshold of an ordered column from its table of bucket counts: exact splits at histogram price.
//
// First the cuts at bucket edges are scored. Then every bucket asks whether a cut inside it could still win (the corner
// bound of TwoSides); mostly a handful can, and only their rows are looked at, in order (after CLOUDS: Alsabti, Ranka
// and Singh 1998).
#pragma once

#include <algorithm>  // for fill
#include <cstdint>    // for int32_t
#include <optional>   // for optional
#include <span>       // for span
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/exact/finder/levels_by_rate.hpp"
#include "grow/exact/finder/threshold_in_list.hpp"
#include "grow/exact/finder/two_sides.hpp"
#include "grow/exact/node_payload.hpp"
#include "grow/exact/pair_block.hpp"
#include "table/column.hpp"

namespace tw {

template <class Criterion>
void find_edge(const CountTable& table, const PairView& view, const Criterion& criterion, std::int32_t column,
               Best& best) {
  const PairSum& missing = table[0];
  const std::uint32_t n_known = view.total.rows - missing.rows;
  for_each_placement(view, missing, criterion, [&](const TwoSides<Criterion>& sides) {
    PairSum left = sides.start;
    std::uint32_t known = 0;
    for (std::uint32_t bucket = 1; bucket + 1 < table.size(); ++bucket) {
      if (table[bucket].rows == 0) continue;
      left += table[bucket];
      known += table[bucket].rows;
      if (known == n_known || !sides.allowed(left)) continue;
      const double score = sides.score(left);
      if (score >= best.reach() && best.offer(score, column, known, sides.missing_left)) {
        best.get().kind = CutKind::threshold;
        best.get().bucket = bucket;
      }
    }
  });
  offer_known_or_missing(view, missing, criterion, column, CutKind::threshold, n_known, best);
}

// Marks the buckets inside which a cut could reach `reach`; false when there is none.
template <class Criterion>
bool mark_open_buckets(const CountTable& table, const PairView& view, const Criterion& criterion, double reach,
                       std::span<bool> open) {
  std::fill(open.begin(), open.end(), false);
  bool any = false;
  for_each_placement(view, table[0], criterion, [&](const TwoSides<Criterion>& sides) {
    PairSum left = sides.start;
    const Goal goal = sides.goal(reach);
    for (std::uint32_t bucket = 1; bucket < table.size(); ++bucket) {
      const PairSum& cell = table[bucket];
      if (cell.rows > 1 &&
          sides.may_reach_inside(double(left.a), double(left.b), double(cell.a), double(cell.b), view.node, goal))
        open[bucket] = any = true;
      left += cell;
    }
  });
  return any;
}

// The rows of the open buckets in ascending order: (key, place in the node) words and what they stand for.
struct OpenRows {
  std::span<const std::uint64_t> words;
  const PairSum* sums;        // of each
  const std::uint32_t* rows;  // place → row
  const Column& column;

  std::uint32_t row(std::size_t i) const { return rows[static_cast<std::uint32_t>(words[i])]; }
  std::uint32_t bucket(std::size_t i) const { return column.small_code()[row(i)]; }
  double value(std::size_t i) const { return column.value(row(i)); }
  bool same_value(std::size_t i, std::size_t j) const {
    return (words[i] >> 32) == (words[j] >> 32) && (column.exact_keys || value(i) == value(j));
  }
};

// Scores the cuts inside the open buckets.
template <class Criterion>
void find_inside(const OpenRows& rows, const CountTable& table, const PairView& view, const Criterion& criterion,
                 std::int32_t column, Best& best) {
  for_each_placement(view, table[0], criterion, [&](const TwoSides<Criterion>& sides) {
    PairSum before = sides.start;  // everything left of the bucket
    std::uint32_t known_before = 0, bucket = 1;
    for (std::size_t i = 0; i < rows.words.size();) {
      const std::uint32_t here = rows.bucket(i);
      for (; bucket < here; ++bucket) before += table[bucket], known_before += table[bucket].rows;
      PairSum left = before;
      const std::size_t end = i + table[here].rows;
      for (std::uint32_t known = known_before + 1; i < end; ++i, ++known) {
        left += rows.sums[i];
        if (i + 1 == end || !sides.allowed(left)) continue;
        const double score = sides.score(left);
        if (score < best.reach() || rows.same_value(i, i + 1)) continue;
        if (best.offer(score, column, known, sides.missing_left)) {
          best.get().kind = CutKind::threshold;
          best.get().bucket = here;
          best.get().inside = true;
          best.get().left_value = rows.value(i);
        }
      }
    }
  });
}

// TableSearch: what large nodes are searched by, from tables of counts; it alone knows the criterion. The growing loop
// asks it once a column, so that the loop is compiled once and not for every criterion.

class TableSearch {
 public:
  virtual ~TableSearch() = default;
  // Makes ready for a node; everything below is about this node. What comes back waits for its first candidate.
  virtual Best start(const GrowingNode& s) = 0;
  virtual void find_edge(const CountTable& table, std::int32_t column, Best& best) const = 0;
  virtual void find_levels(std::vector<LevelSum>& levels, const PairSum& missing, std::uint32_t levels_of_column,
                           std::int32_t column, Best& best) const = 0;
  virtual bool mark_open_buckets(const CountTable& table, double reach, std::span<bool> open) const = 0;
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
  bool mark_open_buckets(const CountTable& table, double reach, std::span<bool> open) const override {
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
