// The search inside a block for least absolute deviation: see block_grower.hpp for how it is used.
//
// A column is a sequence of groups of rows (its runs of equal rank; for nominal columns its levels ordered by median,
// a heuristic: no ordering theorem holds here). One pass forwards gives the deviation of every left side, one
// backwards that of every right side.
#pragma once

#include <algorithm>  // for sort, partition_point
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/exact/lists.hpp"
#include "grow/exact/median_tree.hpp"
#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

class AbsoluteBlock {
 public:
  static constexpr bool kDescribesByDifference = false;
  void describe_sums(GrowingNode&) const {}

  AbsoluteBlock(const Target& target, const Recipe& recipe) : target_(target), recipe_(recipe) {}

  void number_rows(std::vector<std::uint32_t>& rows) {
    std::vector<std::int64_t> values;
    for (auto row : rows) values.push_back(target_.level[row]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    rank_.resize(rows.size()), weights_.resize(rows.size());
    example_.resize(values.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto at = std::lower_bound(values.begin(), values.end(), target_.level[rows[i]]);
      rank_[i] = static_cast<std::uint32_t>(at - values.begin());
      weights_[i] = target_.weight_of(rows[i]);
      example_[rank_[i]] = target_.numbers[rows[i]];
    }
    set_.reset(std::move(values));
  }

  std::int64_t weight(std::uint32_t row) const { return weights_[row]; }

  template <class Word>
  void describe(GrowingNode& s, Arena&, const Word* words, std::uint32_t n, const std::vector<std::uint32_t>&) {
    s.rows = n, s.a = 0;
    std::uint32_t low = 0xffffffffu, high = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t row = row_of(words[i]);
      s.a += weights_[row];
      low = std::min(low, rank_[row]), high = std::max(high, rank_[row]);
    }
    change(words, n, 1);
    s.value = example_[set_.median_rank()];
    s.pure = low == high;
    s.spread = s.pure ? 0 : set_.deviation();
    s.impurity = s.spread / static_cast<double>(s.a) * target_.level_unit;  // in this order nothing overflows
    change(words, n, -1);
  }

  template <class Word>
  Candidate find(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, const GrowingNode&, const Arena&,
                 std::vector<Candidate>* each) {
    const double parent = deviation_of(lists.list(0) + begin, n);
    Best all(parent);
    for (std::size_t k = 0; k < lists.n_columns(); ++k) {
      lists.pause_before(n);
      const Word* list = lists.list(k) + begin;
      if (rank_of(list[0]) == rank_of(list[n - 1])) continue;
      const auto n_missing = static_cast<std::uint32_t>(
          std::partition_point(list, list + n, [](Word word) { return rank_of(word) == 0; }) - list);
      Best own(parent);
      Best& best = each ? own : all;
      search_column(list, n, n_missing, lists.coded(k).ordered(), static_cast<std::int32_t>(k), parent, best);
      if (each) keep_best(std::move(own), all, *each);
    }
    return std::move(all.get());
  }

 private:
  struct Group {
    std::uint32_t begin, n, rank;
    double median = 0, mean = 0;
  };

  template <class Word>
  void change(const Word* words, std::uint32_t n, int sign) {
    for (std::uint32_t i = 0; i < n; ++i) set_.add(rank_[row_of(words[i])], sign * weights_[row_of(words[i])]);
  }

  template <class Word>
  double deviation_of(const Word* words, std::uint32_t n) {
    change(words, n, 1);
    const double deviation = set_.deviation();
    change(words, n, -1);
    return deviation;
  }

  template <class Word>
  void make_groups(const Word* known, std::uint32_t n, bool ordered) {
    groups_.clear();
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i == 0 || rank_of(known[i]) != rank_of(known[i - 1])) groups_.push_back({i, 0, rank_of(known[i])});
      ++groups_.back().n;
    }
    if (ordered) return;
    for (Group& g : groups_) {
      change(known + g.begin, g.n, 1);
      g.median = set_.median_rank();
      change(known + g.begin, g.n, -1);
      __int128 sum = 0, total = 0;
      for (std::uint32_t i = g.begin; i < g.begin + g.n; ++i) {
        const std::uint32_t row = row_of(known[i]);
        sum += static_cast<__int128>(weights_[row]) * set_.value(rank_[row]), total += weights_[row];
      }
      g.mean = double(sum) / double(total);
    }
    std::stable_sort(groups_.begin(), groups_.end(), [](const Group& x, const Group& y) {
      return x.median != y.median ? x.median < y.median : x.mean < y.mean;
    });
  }

  template <class Word>
  void search_column(const Word* list, std::uint32_t n, std::uint32_t n_missing, bool ordered, std::int32_t column,
                     double parent, Best& best) {
    const Word* known = list + n_missing;
    const std::uint32_t n_known = n - n_missing;
    make_groups(known, n_known, ordered);
    const auto scan = [&](std::uint32_t left_missing, std::uint32_t right_missing, double base, bool missing_left) {
      scan_groups(known, list, left_missing, right_missing, base, missing_left, ordered, column, best);
    };
    if (n_missing == 0) {
      scan(0, 0, parent, true);
    } else if (recipe_.missing == MissingPolicy::learn) {
      scan(n_missing, 0, parent, true);
      scan(0, n_missing, parent, false);
      offer_known_or_missing(list, n, n_missing, ordered, column, parent, best);
    } else if (recipe_.missing == MissingPolicy::larger) {
      scan(0, 0, deviation_of(known, n_known), true);
    } else if (n_missing >= min_leaf()) {
      scan(0, 0, parent - deviation_of(list, n_missing), true);
    }
  }

  std::uint32_t min_leaf() const {
    return static_cast<std::uint32_t>(std::max<std::int64_t>(1, recipe_.stop.min_samples_leaf));
  }

  double min_weight() const { return recipe_.stop.min_weight_leaf / target_.weight_unit * (1 - 1e-12); }

  template <class Word>
  double weight_of(const Word* words, std::uint32_t n) const {
    std::int64_t sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) sum += weights_[row_of(words[i])];
    return double(sum);
  }

  // missing: the first words of the list; left_missing or right_missing of them take part in the split.
  template <class Word>
  void scan_groups(const Word* known, const Word* missing, std::uint32_t left_missing, std::uint32_t right_missing,
                   double base, bool missing_left, bool ordered, std::int32_t column, Best& best) {
    const std::size_t G = groups_.size();
    if (G < 2) return;
    right_.assign(G, 0);
    change(missing, right_missing, 1);
    std::uint32_t rows = right_missing;
    for (std::size_t g = G; g-- > 1;) {
      change(known + groups_[g].begin, groups_[g].n, 1);
      rows += groups_[g].n;
      right_[g] = set_.deviation();
    }
    change(missing, right_missing, -1);
    for (std::size_t g = 1; g < G; ++g) change(known + groups_[g].begin, groups_[g].n, -1);
    change(missing, left_missing, 1);
    std::uint32_t left_rows = left_missing, left_known = 0;
    double left_weight = weight_of(missing, left_missing), right_weight = weight_of(missing, right_missing);
    for (const Group& g : groups_) right_weight += weight_of(known + g.begin, g.n);
    for (std::size_t g = 0; g + 1 < G; ++g) {
      change(known + groups_[g].begin, groups_[g].n, 1);
      left_rows += groups_[g].n, left_known += groups_[g].n, rows -= g > 0 ? groups_[g].n : 0;
      const double moved = weight_of(known + groups_[g].begin, groups_[g].n);
      left_weight += moved, right_weight -= moved;
      if (left_rows < min_leaf() || rows < min_leaf()) continue;
      if (std::min(left_weight, right_weight) < min_weight()) continue;
      const double score = base - set_.deviation() - right_[g + 1];
      const std::uint32_t cut = ordered ? left_known : static_cast<std::uint32_t>(g + 1);
      if (score >= best.reach() && best.offer(score, column, cut, missing_left)) take(best.get(), ordered, g + 1);
    }
    change(missing, left_missing, -1);
    for (std::size_t g = 0; g + 1 < G; ++g) change(known + groups_[g].begin, groups_[g].n, -1);
  }

  void take(Candidate& winner, bool ordered, std::size_t n_left_groups) const {
    winner.kind = ordered ? CutKind::threshold : CutKind::levels;
    if (ordered) return;
    winner.left_levels.clear();
    for (std::size_t g = 0; g < n_left_groups; ++g) winner.left_levels.push_back(groups_[g].rank);
    std::sort(winner.left_levels.begin(), winner.left_levels.end());
  }

  template <class Word>
  void offer_known_or_missing(const Word* list, std::uint32_t n, std::uint32_t n_missing, bool ordered,
                              std::int32_t column, double parent, Best& best) {
    const std::uint32_t n_known = n - n_missing;
    if (n_known < min_leaf() || n_missing < min_leaf()) return;
    if (std::min(weight_of(list, n_missing), weight_of(list + n_missing, n_known)) < min_weight()) return;
    const double score = parent - deviation_of(list, n_missing) - deviation_of(list + n_missing, n_known);
    const std::uint32_t cut = ordered ? n_known : static_cast<std::uint32_t>(groups_.size());
    if (!best.offer(score, column, cut, false)) return;
    take(best.get(), ordered, groups_.size());
    best.get().known_or_missing = true;
  }

  const Target& target_;
  const Recipe& recipe_;
  MedianTree set_;
  std::vector<std::uint32_t> rank_;
  std::vector<std::int64_t> weights_;
  std::vector<double> example_, right_;
  std::vector<Group> groups_;
};

}  // namespace tw
