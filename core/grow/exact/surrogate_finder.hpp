// SurrogateFinder: the tests of other columns that stand in where a node's own test has no value, those that agree
// most with it first; and where they send a row.
#pragma once

#include <algorithm>  // for stable_sort, partition_point
#include <cmath>      // for isnan
#include <limits>     // for numeric_limits
#include <vector>     // for vector

#include "grow/exact/finder/agreement.hpp"
#include "grow/exact/lists.hpp"
#include "grow/recipe.hpp"
#include "grow/threshold_value.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

template <class Word>
class SurrogateFinder {
 public:
  SurrogateFinder(const Table& table, const Target& target, const SurrogateRules& rules)
      : table_(table), target_(target), rules_(rules) {}

  void number_rows(const std::vector<std::uint32_t>& rows) {
    rows_ = &rows;
    ways_.resize(rows.size());
    const std::vector<std::int64_t>& given = target_.case_weights();
    weights_.clear();
    if (!given.empty())
      for (auto row : rows) weights_.push_back(given[row]);
  }

  // The node's own test sends these words to one side, 0 to nowhere.
  void send(const Word* words, std::uint32_t n, std::int8_t way) {
    for (std::uint32_t i = 0; i < n; ++i) ways_[row_of(words[i])] = way;
  }

  // After send(): adds up the rows of the node, given any one of its lists.
  void add_up(const Word* words, std::uint32_t n) {
    node_ = words, n_ = n, sent_ = {}, found_.clear();
    const Ways ways = view();
    for (std::uint32_t i = 0; i < n; ++i) sent_.add(ways, row_of(words[i]));
  }

  // The branch of rows that nothing else can send; −1: they stop.
  std::int32_t majority() const {
    if (rules_.others_stop || sent_.left == sent_.right) return kMissingStops;
    return sent_.right > sent_.left;
  }

  // The surrogates of the node that is the slice [begin, begin + n) of every list and asks list `own`.
  const std::vector<Surrogate>& find(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, std::size_t own) {
    if (rules_.most_surrogates == 0 || sent_.rows() < 2 * kFewestRows) return found_;
    for (std::size_t k = 0; k < lists.n_columns(); ++k) {
      if (k == own) continue;
      lists.pause_before(n);
      const Word* list = lists.list(k) + begin;
      if (rank_of(list[0]) != rank_of(list[n - 1])) look(lists, k, list, n);
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Surrogate& x, const Surrogate& y) { return x.agreement > y.agreement; });
    if (found_.size() > rules_.most_surrogates) found_.resize(rules_.most_surrogates);
    return found_;
  }

  // Where a row goes that the node's own test cannot send; −1: it stops.
  std::int32_t branch_of(std::uint32_t row) const {
    for (const Surrogate& s : found_) {
      const double x = table_.columns[s.column].value(row);
      if (std::isnan(x)) continue;
      if (s.levels.empty()) return (x <= s.threshold) == s.flip;
      for (const auto& [code, branch] : s.levels)
        if (code == static_cast<std::uint32_t>(x)) return branch;
    }
    return majority();
  }

 private:
  Ways view() const { return {ways_.data(), weights_.empty() ? nullptr : weights_.data()}; }

  void look(const Lists<Word>& lists, std::size_t k, const Word* list, std::uint32_t n) {
    const Ways ways = view();
    Sent both = sent_;
    std::uint32_t n_missing = 0;
    for (; rank_of(list[n_missing]) == 0; ++n_missing) both.add(ways, row_of(list[n_missing]), -1);
    const Sent& counted = rules_.count_both_known ? both : sent_;
    if (counted.weight() == counted.most()) return;
    const Word* known = list + n_missing;
    Surrogate surrogate;
    surrogate.column = lists.column(k);
    const Column& column = lists.coded(k);
    const std::int64_t agree = column.ordered() ? by_threshold(lists, column, known, n - n_missing, both, surrogate)
                                                : by_level(lists, column, known, n - n_missing, both, surrogate);
    if (agree <= counted.most()) return;
    surrogate.agreement = double(agree) / double(counted.weight());
    surrogate.adjusted = double(agree - counted.most()) / double(counted.weight() - counted.most());
    found_.push_back(std::move(surrogate));
  }

  std::int64_t by_threshold(const Lists<Word>& lists, const Column& column, const Word* known, std::uint32_t n,
                            const Sent& both, Surrogate& surrogate) const {
    const ThresholdAgreement best = weights_.empty() ? agree_by_threshold<true>(known, n, view(), both)
                                                     : agree_by_threshold<false>(known, n, view(), both);
    if (best.cut == 0) return 0;
    surrogate.threshold =
        threshold_between(column, lists.table_row(known[best.cut - 1]), lists.table_row(known[best.cut]));
    surrogate.flip = best.flip;
    return best.agree;
  }

  // rpart asks that at least two rows be sent the wrong way, where it will have meant two rows on each side: levels can
  // never make a perfect surrogate. We do as rpart does.
  std::int64_t by_level(const Lists<Word>& lists, const Column& column, const Word* known, std::uint32_t n,
                        const Sent& both, Surrogate& surrogate) const {
    const bool torn_left = both.left == both.right && left_mean_is_higher();
    const LevelAgreement best = agree_by_level(known, n, view(), both, torn_left);
    if (best.wrong < kFewestRows) return 0;
    surrogate.threshold = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < best.first.size(); ++i)
      surrogate.levels.emplace_back(column.code(lists.table_row(known[best.first[i]])), best.branch[i]);
    std::sort(surrogate.levels.begin(), surrogate.levels.end());
    return best.agree;
  }

  // Which branch of the node is rpart's right one: the mean of the target (of classes: of their numbers) is not lower
  // on the left.
  bool left_mean_is_higher() const {
    __int128 sum[2] = {0, 0};
    std::int64_t weight[2] = {0, 0};
    for (std::uint32_t i = 0; i < n_; ++i) {
      const std::uint32_t row = (*rows_)[row_of(node_[i])];
      const int way = ways_[row_of(node_[i])];
      if (way == 0) continue;
      const std::int64_t w = target_.weight_of(row);
      weight[way < 0] += w;
      sum[way < 0] += target_.n_classes ? static_cast<__int128>(w) * target_.classes[row] : target_.value[row];
    }
    return sum[0] * weight[1] >= sum[1] * weight[0];
  }

  const Table& table_;
  const Target& target_;
  const SurrogateRules rules_;
  const std::vector<std::uint32_t>* rows_ = nullptr;
  const Word* node_ = nullptr;
  std::uint32_t n_ = 0;
  std::vector<std::int8_t> ways_;
  std::vector<std::int64_t> weights_;
  Sent sent_;
  std::vector<Surrogate> found_;
};

}  // namespace tw
