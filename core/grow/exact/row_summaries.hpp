// RowSummaries: the summary of a set of table rows for two classes or a numeric target, in parallel chunks.
#pragma once

#include <span>    // for span
#include <vector>  // for vector

#include "base/workers.hpp"
#include "grow/exact/divide_rows.hpp"
#include "grow/exact/pair_block.hpp"
#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

class RowSummaries {
 public:
  RowSummaries(const Target& target, const Recipe& recipe, Workers& workers)
      : target_(target), recipe_(recipe), workers_(workers) {}

  void add(std::uint32_t row, BranchSum& sum) const {
    ++sum.rows;
    sum.example = row;
    const std::int64_t w = target_.weight_of(row);
    sum.a += w;
    if (!target_.is_regression()) {
      sum.b += target_.classes[row] ? w : 0;
      return;
    }
    sum.b += target_.value[row];
    sum.low = std::min(sum.low, target_.level[row]), sum.high = std::max(sum.high, target_.level[row]);
  }

  void describe(GrowingNode& s, std::span<const std::uint32_t> rows) const {
    std::vector<BranchSum> parts(n_chunks(rows.size()));
    for_each_chunk(workers_, rows.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) add(rows[i], parts[chunk]);
    });
    BranchSum sum;
    for (const BranchSum& part : parts) sum.merge(part);
    finish(s, sum, rows);
  }

  // Completes a node from the sums of its rows.
  void finish(GrowingNode& s, const BranchSum& sum, std::span<const std::uint32_t> rows) const {
    sum.write(s);
    if (target_.is_regression()) {
      const SpreadSum spread = spread_of(s, rows);
      s.impurity = spread.impurity(s, target_);
      s.spread = spread.in_score_units(target_);
    }
    finish_pair_summary(s, target_, recipe_.criterion);
    if (target_.is_regression() && s.low == s.high)
      s.value = lowest_number(target_, rows.size(), [&](std::size_t i) { return rows[i]; });
  }

 private:
  SpreadSum spread_of(const GrowingNode& s, std::span<const std::uint32_t> rows) const {
    const SpreadSum none(s, target_, recipe_.criterion);
    std::vector<SpreadSum> parts(n_chunks(rows.size()), none);
    for_each_chunk(workers_, rows.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        parts[chunk].add(target_.level[rows[i]], target_.weight_of(rows[i]), target_);
    });
    SpreadSum all = none;
    for (const SpreadSum& part : parts) all.merge(part);
    return all;
  }

  const Target& target_;
  const Recipe& recipe_;
  Workers& workers_;
};

}  // namespace tw
