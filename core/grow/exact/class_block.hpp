// The search inside a block for three classes or more: see block_grower.hpp for how it is used.
// Classes are numbered anew at each node (only those present count), so a node of ten rows never pays for 1,000
// classes.
#pragma once

#include <algorithm>  // for partition_point, sort
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/criterion/classes.hpp"
#include "grow/exact/finder/class_column_search.hpp"
#include "grow/exact/finder/cut_in_lanes.hpp"
#include "grow/exact/lists.hpp"
#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

inline double counts_impurity(CriterionName criterion, ConstCounts counts) {
  const double n = static_cast<double>(total_of(counts));
  if (criterion == CriterionName::entropy) return -ClassEntropy::phi(counts) / n / std::log(2.0) + 0.0;
  if (criterion == CriterionName::error) return -ClassError::phi(counts) / n + 0.0;
  return -WideClassGini::phi(counts) / n + 0.0;
}

template <class Criterion>
class ClassBlock : private ClassColumnSearch<Criterion> {
  using Base = ClassColumnSearch<Criterion>;
  using Placement = typename Base::Placement;
  using Base::allowed, Base::find_grouping, Base::for_each_placement, Base::min_leaf, Base::min_weight_, Base::missing_,
      Base::offer, Base::offer_known_or_missing, Base::start;
  using Base::left_, Base::levels_, Base::recipe_, Base::right_, Base::sides_, Base::target_, Base::totals_;

 public:
  static constexpr bool kDescribesByDifference = false;
  void describe_sums(GrowingNode&) const {}

  ClassBlock(const Target& target, const Recipe& recipe) : Base(target, recipe) {}

  void number_rows(std::vector<std::uint32_t>& rows) {
    class_of_.resize(rows.size());
    local_.resize(rows.size());
    weights_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) class_of_[i] = target_.classes[rows[i]];
    if (!target_.unit_weights())
      for (auto row : rows) weights_.push_back(target_.weight[row]);
    dense_.assign(target_.n_classes, 0);
  }

  std::int64_t weight(std::uint32_t row) const { return weights_.empty() ? 1 : weights_[row]; }

  template <class Word>
  void describe(GrowingNode& s, Arena& arena, const Word* words, std::uint32_t n, const std::vector<std::uint32_t>&) {
    present_.clear();
    s.rows = n, s.a = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t row = row_of(words[i]);
      std::int64_t& count = dense_[class_of_[row]];
      if (count == 0) present_.push_back(class_of_[row]);
      count += weight(row);
    }
    std::sort(present_.begin(), present_.end());
    s.count_begin = static_cast<std::uint32_t>(arena.counts.size());
    s.n_counts = static_cast<std::uint32_t>(present_.size());
    totals_.clear();
    for (auto k : present_) {
      arena.counts.push_back({k, dense_[k]});
      totals_.push_back(dense_[k]);
      s.a += dense_[k];
      dense_[k] = 0;
    }
    s.pure = present_.size() <= 1;
    s.impurity = s.pure ? 0 : counts_impurity(recipe_.criterion, totals_);
  }

  template <class Word>
  Candidate find(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, const GrowingNode& s,
                 const Arena& arena, std::vector<Candidate>* each) {
    number_classes(lists.list(0) + begin, n, s, arena);
    Best all(Criterion::scale(totals_));
    if constexpr (kGini)
      if (!each && weights_.empty() && n > kLaneRows / 2) return find_by_gains(lists, begin, n, std::move(all));
    for (std::size_t k = 0; k < lists.n_columns(); ++k) {
      Best own(Criterion::scale(totals_));
      find_in_column(lists, begin, n, k, each ? own : all);
      if (each) keep_best(std::move(own), all, *each);
    }
    return std::move(all.get());
  }

  static constexpr bool kGini = std::is_same_v<Criterion, NarrowClassGini>;
  bool fits_lanes(const GrowingNode& s) const
    requires kGini
  {
    return s.rows <= kLaneRows && weights_.empty() && s.n_counts <= most_lane_classes(s.rows);
  }
  template <class Word>
  Candidate find_in_lanes(const Lists<Word>& lists, Word* words, std::uint32_t n, const GrowingNode& s,
                          const Arena& arena)
    requires kGini
  {
    number_classes(words, n, s, arena);
    Best best(Criterion::scale(totals_));
    std::uint32_t rows[kLaneRows], classes[kLaneRows], totals[kLaneRows];
    for (std::uint32_t j = 0; j < n; ++j) rows[j] = row_of(words[j]), classes[j] = local_[rows[j]];
    for (std::size_t k = 0; k < totals_.size(); ++k) totals[k] = static_cast<std::uint32_t>(totals_[k]);
    const LaneNode node{lists.codes(), {rows, n}, smallest_side()};
    in_lanes_.start(node);
    in_lanes_.find_classes(node, classes, {totals, totals_.size()});
    const double base = -Criterion::phi(totals_);
    in_lanes_.offer(best, [&](RowSet left, std::uint32_t) {
      left_.assign(totals_.size(), 0), right_ = totals_;
      for_each_row(left, [&](std::uint32_t j) { ++left_[classes[j]], --right_[classes[j]]; });
      sides_.start(left_, right_);
      return sides_.score() + base;
    });
    Word ordered[kLaneRows];
    in_lanes_.for_others([&](std::size_t k) {
      in_lanes_.put_in_order(words, k, ordered);
      find_in_list(ordered, n, lists.coded(k), static_cast<std::int32_t>(k), best);
    });
    if (best.get().found()) in_lanes_.put_in_order(words, static_cast<std::size_t>(best.get().column));
    return std::move(best.get());
  }

 private:
  // Where every row weighs 1.
  std::uint32_t smallest_side() const {
    return static_cast<std::uint32_t>(std::max<double>(min_leaf(), std::min<double>(std::ceil(min_weight_), 1u << 31)));
  }

  template <class Word>
  struct Slice : KnownRows {
    const Word* words;
  };

  // Every column's largest gain first, in single precision; then those columns that may have the best cut.
  template <class Word>
  Candidate find_by_gains(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, Best best) {
    class_gains_.start(totals_, n, smallest_side());
    column_gains_.assign(lists.n_columns(), 0);
    plain_columns_.clear(), other_columns_.clear();
    double largest = 0;
    for (std::size_t k = 0; k < lists.n_columns(); ++k) {
      const Word* list = lists.list(k) + begin;
      if (rank_of(list[0]) == rank_of(list[n - 1])) continue;
      if (!lists.coded(k).ordered() || (rank_of(list[0]) == 0 && recipe_.missing != MissingPolicy::learn)) {
        other_columns_.push_back(k);
      } else if (rank_of(list[0]) != 0) {
        plain_columns_.push_back(k);
      } else {
        lists.pause_before(n);
        const auto found = class_gains_.most(list, missing_behind(list, n, room_of(Word{})), local_.data());
        column_gains_[k] = std::max(found[0], found[1]);
        largest = std::max(largest, column_gains_[k]);
      }
    }
    for (std::size_t i = 0; i < plain_columns_.size(); i += 2) {
      const std::size_t k = plain_columns_[i], other = plain_columns_[std::min(i + 1, plain_columns_.size() - 1)];
      lists.pause_before(n);
      const auto found = class_gains_.most(lists.list(k) + begin, lists.list(other) + begin, local_.data());
      column_gains_[k] = found[0], column_gains_[other] = found[1];
      largest = std::max({largest, found[0], found[1]});
    }
    const double least = class_gains_.least(largest);
    for (std::size_t k = 0; k < lists.n_columns(); ++k)
      if (column_gains_[k] > 0 && column_gains_[k] >= least) find_in_column(lists, begin, n, k, best);
    for (const std::size_t k : other_columns_) find_in_column(lists, begin, n, k, best);
    return std::move(best.get());
  }
  std::vector<std::uint32_t>& room_of(std::uint32_t) { return behind_; }
  std::vector<std::uint64_t>& room_of(std::uint64_t) { return wide_behind_; }

  template <class Word>
  void find_in_column(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, std::size_t k, Best& best) {
    lists.pause_before(n);
    find_in_list(lists.list(k) + begin, n, lists.coded(k), static_cast<std::int32_t>(k), best);
  }

  // list: the rows of the node in the order of the column.
  template <class Word>
  void find_in_list(const Word* list, std::uint32_t n, const Column& column, std::int32_t k, Best& best) {
    if (rank_of(list[0]) == rank_of(list[n - 1])) return;
    const auto n_missing = static_cast<std::uint32_t>(
        std::partition_point(list, list + n, [](Word word) { return rank_of(word) == 0; }) - list);
    missing_.assign(totals_.size(), 0);
    for (std::uint32_t i = 0; i < n_missing; ++i) missing_[local_[row_of(list[i])]] += weight(row_of(list[i]));
    const Slice<Word> known{{n - n_missing, n_missing, k}, list + n_missing};
    const bool ordered = column.ordered();
    if (!ordered) fill_levels(known);
    if (ordered)
      for_each_placement(known, [&](Placement& p) { scan(known, p, best); });
    else
      find_grouping(known, column.n_codes, best);
    offer_known_or_missing(known, ordered, best);
  }

  template <class Word>
  void number_classes(const Word* words, std::uint32_t n, const GrowingNode& s, const Arena& arena) {
    totals_.clear();
    for (std::uint32_t k = 0; k < s.n_counts; ++k) {
      const ClassWeight& c = arena.counts[s.count_begin + k];
      totals_.push_back(c.weight);
      dense_[c.class_index] = k;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t row = row_of(words[i]);
      local_[row] = static_cast<std::uint16_t>(dense_[class_of_[row]]);
    }
    for (std::uint32_t k = 0; k < s.n_counts; ++k) dense_[arena.counts[s.count_begin + k].class_index] = 0;
  }

  // Rows of one value move together: a long run is added up first, so that columns with few values cost little.
  template <class Word>
  void scan(const Slice<Word>& known, const Placement& p, Best& best) {
    start(p);
    for (std::uint32_t i = 0, end; i < known.n; i = end) {
      for (end = i + 1; end < known.n && rank_of(known.words[end]) == rank_of(known.words[i]);) ++end;
      if (end == known.n) return;
      move_rows(known.words + i, end - i);
      if (allowed(p.start_rows + end, p.whole_rows)) offer(p, known.column, end, CutKind::threshold, best);
    }
  }

  template <class Word>
  void move_rows(const Word* words, std::uint32_t n) {
    if (n < 16) {
      for (std::uint32_t i = 0; i < n; ++i) sides_.move(local_[row_of(words[i])], weight(row_of(words[i])));
      return;
    }
    run_.assign(totals_.size(), 0);
    for (std::uint32_t i = 0; i < n; ++i) run_[local_[row_of(words[i])]] += weight(row_of(words[i]));
    for (std::uint32_t k = 0; k < run_.size(); ++k)
      if (run_[k]) sides_.move(k, run_[k]);
  }

  template <class Word>
  void fill_levels(const Slice<Word>& known) {
    levels_.n_classes = totals_.size();
    levels_.rank.clear(), levels_.rows.clear(), levels_.counts.clear();
    for (std::uint32_t i = 0; i < known.n; ++i) {
      const std::uint32_t rank = rank_of(known.words[i]), row = row_of(known.words[i]);
      if (i == 0 || rank != levels_.rank.back()) {
        levels_.rank.push_back(rank);
        levels_.rows.push_back(0);
        levels_.counts.resize(levels_.counts.size() + totals_.size(), 0);
      }
      ++levels_.rows.back();
      levels_.counts[levels_.counts.size() - totals_.size() + local_[row]] += weight(row);
    }
    levels_.n_levels = levels_.rank.size();
  }

  std::vector<std::uint16_t> class_of_, local_;
  std::vector<std::uint32_t> present_;
  std::vector<std::int64_t> weights_, dense_, run_;
  CutInLanes in_lanes_;
  ClassGains class_gains_;
  std::vector<double> column_gains_;
  std::vector<std::size_t> plain_columns_, other_columns_;
  std::vector<std::uint32_t> behind_;
  std::vector<std::uint64_t> wide_behind_;
};

}  // namespace tw
