#include "grow/boost/split_search.hpp"

#include <algorithm>  // for clamp, sort
#include <cmath>      // for llround

namespace tw {

template <class Word>
BoostSplit SplitSearch<Word>::find(const SearchedNode<Word>& at, std::span<const std::int32_t> columns) {
  at_ = at;
  counts_rows_ = false;
  look_at_all(columns);
  if (best_.found() && !surely_enough(best_.left) && !winner_has_rows()) {
    counts_rows_ = true;
    look_at_all(columns);
  }
  return std::move(best_);
}

template <class Word>
void SplitSearch<Word>::look_at_all(std::span<const std::int32_t> columns) {
  best_ = BoostSplit();
  best_.score = at_.node->undivided + rules_.extra;
  best_.rank = std::llround(best_.score * rules_.grid);
  for (const std::int32_t column : columns) {
    if (table_.columns[column].coded_by >= 0) look_at(table_.columns[column].coded_by);
    if (has_support(table_.columns[column])) look_at(column);
  }
}

// Levels with few rows each at the node are only looked at in the order that other rows have given them.
template <class Word>
bool SplitSearch<Word>::has_support(const BinnedColumn& column) const {
  return column.coded_by < 0 || at_.node->size() >= rules_.given->level_support * column.n_bins;
}

template <class Word>
void SplitSearch<Word>::look_at(std::int32_t column) {
  const BinnedColumn& binned = table_.columns[column];
  charge_ = 0, counted_ = false;
  levels_.clear();
  const std::int32_t place = table_.place_in_matrix[column];
  const Word* bins = place < 0 ? nullptr : at_.histogram + static_cast<std::size_t>(place) * kBins;
  if (bins && binned.kind != Kind::nominal) {
    missing_ = bins[0];
    sums_.add_up(bins + 1, binned.n_bins);
  } else {
    bins ? take_levels(binned, bins) : count_codes(binned);
    if (binned.kind == Kind::nominal) order_levels();
    if (levels_.empty()) return;
    if (binned.kind == Kind::nominal && levels_.size() > 2) charge_ = rules_.charge * double(levels_.size() - 2);
    lay_out_levels();
  }
  for (const bool second : {false, true}) {
    if (second && hessian_of(missing_) == 0) break;
    rules_.bounded ? scan_bounded(column, second) : scan(column, second);
  }
}

template <class Word>
void SplitSearch<Word>::take_levels(const BinnedColumn& column, const Word* bins) {
  missing_ = bins[0];
  for (std::uint32_t code = 1; code <= column.n_bins; ++code)
    if (hessian_of(bins[code]) > 0) levels_.push_back({code, bins[code], 0});
}

// A wide column has no histogram: the rows are counted by their codes.
template <class Word>
void SplitSearch<Word>::count_codes(const BinnedColumn& column) {
  by_code_.resize(std::max<std::size_t>(by_code_.size(), column.n_bins + 1));
  touched_.clear();
  for (std::uint32_t i = 0; i < at_.node->size(); ++i) {
    const std::uint32_t code = column.wide[at_.rows[i]];
    if (hessian_of(by_code_[code]) == 0) touched_.push_back(code);
    by_code_[code] += at_.words[at_.rows[i]];
  }
  missing_ = by_code_[0];
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t code : touched_) {
    if (code) levels_.push_back({code, by_code_[code], 0});
    by_code_[code] = Word{};
  }
}

template <class Word>
void SplitSearch<Word>::order_levels() {
  for (Level& level : levels_)
    level.ratio =
        static_cast<double>(gradient_of(level.sum)) / (static_cast<double>(hessian_of(level.sum)) + rules_.smoothing);
  std::sort(levels_.begin(), levels_.end(),
            [](const Level& a, const Level& b) { return a.ratio != b.ratio ? a.ratio < b.ratio : a.code < b.code; });
}

template <class Word>
void SplitSearch<Word>::lay_out_levels() {
  level_line_.clear();
  for (const Level& level : levels_) level_line_.push_back(level.sum);
  sums_.add_up(level_line_.data(), static_cast<std::uint32_t>(level_line_.size()));
}

// A little below the middle between two steps of the grid, so that rounding never hides a cut that counts. Cuts come in
// their order, so that an equal score wins only in the second walk along a column, where it may be an earlier cut.
template <class Word>
double SplitSearch<Word>::bar(std::int32_t column, bool second_walk) const {
  const double half = second_walk && best_.column == column ? -0.52 : 0.48;
  return (static_cast<double>(best_.rank) + half) / rules_.grid + charge_;
}

template <class Word>
bool SplitSearch<Word>::is_better(std::int64_t rank, std::int32_t column, std::uint32_t cut) const {
  return rank > best_.rank || (rank == best_.rank && column == best_.column && cut < best_.cut);
}

template <class Word>
void SplitSearch<Word>::scan(std::int32_t column, bool missing_second) {
  const NodeSides sides{at_.node->sum, rules_.l2, rules_.least_hessian};
  const GradientSum base = missing_second ? GradientSum{} : sum_of(missing_);
  CutScan<Word> walk(sums_, base, sides);
  for (double least = bar(column, missing_second); walk.next(least);)
    for (std::uint32_t cut = walk.first(); cut < walk.end(); ++cut) {
      const GradientSum left = base + sums_[cut];
      if (!sides.is_above(left, least) || (counted_ && !enough_rows(column, cut, missing_second))) continue;
      offer(column, cut, left, sides.score(left) - charge_, missing_second);
      least = bar(column, missing_second);
    }
}

template <class Word>
double SplitSearch<Word>::bounded_score(const GradientSum& side, double value) const {
  return -value * (2 * static_cast<double>(side.gradient) + (static_cast<double>(side.hessian) + rules_.l2) * value);
}

// With monotone columns every value is kept within the bounds of its node, and a split of such a column must raise (or
// lower) the value from left to right.
template <class Word>
void SplitSearch<Word>::scan_bounded(std::int32_t column, bool missing_second) {
  const GradientSum base = missing_second ? GradientSum{} : sum_of(missing_);
  const auto& monotone = rules_.given->monotone;
  const bool stands_in = static_cast<std::size_t>(column) >= table_.columns_given;  // for levels, which have no order
  const int way = monotone.empty() || stands_in ? 0 : monotone[column];
  const double low = at_.node->low / rules_.value_unit(), high = at_.node->high / rules_.value_unit();
  for (std::uint32_t cut = 0; cut < sums_.size(); ++cut) {
    const GradientSum left = base + sums_[cut], right = at_.node->sum - left;
    if (double(left.hessian) < rules_.least_hessian || double(right.hessian) < rules_.least_hessian) continue;
    const double first = std::clamp(rules_.newton(left), low, high);
    const double second = std::clamp(rules_.newton(right), low, high);
    if (way * (first - second) > 0) continue;
    offer(column, cut, left, bounded_score(left, first) + bounded_score(right, second) - charge_, missing_second);
  }
}

template <class Word>
void SplitSearch<Word>::offer(std::int32_t column, std::uint32_t cut, const GradientSum& left, double score,
                              bool missing_second) {
  const std::int64_t rank = std::llround(score * rules_.grid);
  if (!is_better(rank, column, cut)) return;
  if (counts_rows_ && !surely_enough(left) && !enough_rows(column, cut, missing_second)) return;
  best_.column = column, best_.cut = cut, best_.rank = rank, best_.score = score, best_.left = left;
  best_.last_code = code_at(cut);
  best_.saw_missing = hessian_of(missing_) != 0;
  best_.missing_second = missing_second;
  if (!best_.saw_missing) best_.missing_second = left.hessian * 2 < at_.node->sum.hessian;  // the heavier branch
  best_.levels.clear();
  if (table_.columns[column].kind == Kind::nominal)
    for (const Level& level : levels_) best_.levels.push_back(level.code);
}

// Histograms hold no numbers of rows. Mostly the hessian says enough, since no row has more than the largest one. Where
// it does not, the rows of the best split are counted; and where those are too few, there is a second search that
// counts the rows of every column that it has to.
template <class Word>
bool SplitSearch<Word>::surely_enough(const GradientSum& left) const {
  const std::int64_t least = rules_.given->min_samples_leaf, sure = least * rules_.largest_hessian;
  return least <= 1 || (left.hessian >= sure && at_.node->sum.hessian - left.hessian >= sure);
}

template <class Word>
bool SplitSearch<Word>::winner_has_rows() {
  const BinnedColumn& column = table_.columns[best_.column];
  goes_left_.assign(column.n_bins + 1, 0);
  goes_left_[0] = !best_.missing_second;
  const bool nominal = column.kind == Kind::nominal;
  for (std::uint32_t place = 0; place <= (nominal ? best_.cut : best_.last_code - 1); ++place)
    goes_left_[nominal ? best_.levels[place] : place + 1] = 1;
  std::int64_t rows = 0;
  for (std::uint32_t i = 0; i < at_.node->size(); ++i) rows += goes_left_[column.code(at_.rows[i])];
  const std::int64_t least = rules_.given->min_samples_leaf;
  return rows >= least && at_.node->size() - rows >= least;
}

template <class Word>
bool SplitSearch<Word>::enough_rows(std::int32_t column, std::uint32_t cut, bool missing_second) {
  const std::int64_t least = rules_.given->min_samples_leaf;
  if (!counted_) count_rows(table_.columns[column]);
  const std::int64_t rows = running_rows_[cut] + (missing_second ? 0 : rows_by_code_[0]);
  return rows >= least && at_.node->size() - rows >= least;
}

template <class Word>
void SplitSearch<Word>::count_rows(const BinnedColumn& column) {
  rows_by_code_.assign(column.n_bins + 1, 0);
  for (std::uint32_t i = 0; i < at_.node->size(); ++i) ++rows_by_code_[column.code(at_.rows[i])];
  running_rows_.resize(sums_.size());
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < sums_.size(); ++i) running_rows_[i] = sum += rows_by_code_[code_at(i)];
  counted_ = true;
}

template class SplitSearch<PackedWord>;
template class SplitSearch<DoubleWord>;

}  // namespace tw
