#include "boost/split_search.hpp"

#include <algorithm>  // for clamp, sort
#include <cmath>      // for llround

namespace tw {

template <class Word>
BoostSplit SplitSearch<Word>::find(const SearchedNode<Word>& at, std::span<const std::int32_t> columns) {
  at_ = at;
  best_ = BoostSplit();
  best_.score = at.node->undivided + rules_.extra;
  best_.rank = std::llround(best_.score * rules_.grid);
  for (const std::int32_t column : columns) look_at(column);
  return std::move(best_);
}

template <class Word>
void SplitSearch<Word>::look_at(std::int32_t column) {
  const BinnedColumn& binned = table_.columns[column];
  charge_ = 0, counted_ = false;
  places_.clear();
  if (binned.is_narrow())
    take_bins(binned, at_.histogram + static_cast<std::size_t>(table_.place_in_matrix[column]) * kBins);
  else
    count_codes(binned);
  if (binned.kind == Kind::nominal) {
    order_levels();
    if (!binned.is_narrow() && !places_.empty()) charge_ = rules_.charge * double(places_.size() - 1);
  }
  add_up();
  for (const bool second : {false, true}) {
    if (second && missing_.hessian == 0) break;
    rules_.bounded ? scan_bounded(column, second) : scan(column, second);
  }
}

template <class Word>
void SplitSearch<Word>::take_bins(const BinnedColumn& column, const Word* bins) {
  missing_ = sum_of(bins[0]);
  const bool nominal = column.kind == Kind::nominal;
  for (std::uint32_t code = 1; code <= column.n_bins; ++code)
    if (!nominal || hessian_of(bins[code]) > 0) places_.push_back({code, bins[code], 0});
}

// A wide column has no histogram: the rows are counted by their codes.
template <class Word>
void SplitSearch<Word>::count_codes(const BinnedColumn& column) {
  by_code_.resize(std::max<std::size_t>(by_code_.size(), column.n_bins + 1));
  touched_.clear();
  for (std::uint32_t i = 0; i < at_.node->size(); ++i) {
    const std::uint32_t code = column.wide[at_.rows[i]];
    if (hessian_of(by_code_[code]) == 0) touched_.push_back(code);
    by_code_[code] += at_.words[i];
  }
  missing_ = sum_of(by_code_[0]);
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t code : touched_) {
    if (code) places_.push_back({code, by_code_[code], 0});
    by_code_[code] = Word{};
  }
}

template <class Word>
void SplitSearch<Word>::order_levels() {
  for (Place& place : places_)
    place.ratio = static_cast<double>(gradient_of(place.sum)) /
                  (static_cast<double>(hessian_of(place.sum)) + rules_.smoothing);
  std::sort(places_.begin(), places_.end(),
            [](const Place& a, const Place& b) { return a.ratio != b.ratio ? a.ratio < b.ratio : a.code < b.code; });
}

template <class Word>
void SplitSearch<Word>::add_up() {
  if (gradient_.size() < places_.size()) gradient_.resize(places_.size()), hessian_.resize(places_.size());
  Word sum{};
  for (std::size_t i = 0; i < places_.size(); ++i) {
    sum += places_[i].sum;
    gradient_[i] = static_cast<Part>(gradient_of(sum));
    hessian_[i] = static_cast<Part>(hessian_of(sum));
  }
}

// A little below the middle between two steps of the grid, so that rounding never hides a cut that counts.
template <class Word>
double SplitSearch<Word>::bar(std::int32_t column) const {
  const double half = best_.column == column ? -0.52 : 0.48;  // an equal score may still be an earlier cut
  return (static_cast<double>(best_.rank) + half) / rules_.grid + charge_;
}

template <class Word>
bool SplitSearch<Word>::is_better(std::int64_t rank, std::int32_t column, std::uint32_t cut) const {
  return rank > best_.rank || (rank == best_.rank && column == best_.column && cut < best_.cut);
}

template <class Word>
void SplitSearch<Word>::scan(std::int32_t column, bool missing_second) {
  NodeSides sides{at_.node->sum, missing_second ? GradientSum() : missing_, rules_.l2, rules_.least_hessian};
  const RunningSums<Part> sums{gradient_.data(), hessian_.data(), static_cast<std::uint32_t>(places_.size())};
  for (std::uint32_t cut = 0; (cut = next_above(sums, sides, cut, bar(column))) < sums.n_cuts; ++cut) {
    const GradientSum left = sums.at(cut) + sides.base;
    offer(column, cut, left, sides.score(left) - charge_, missing_second);
  }
}

template <class Word>
double SplitSearch<Word>::bounded_score(const GradientSum& side, double value) const {
  return -value * (2 * static_cast<double>(side.gradient) +
                   (static_cast<double>(side.hessian) + rules_.l2) * value);
}

// With monotone columns every value is kept within the bounds of its node, and a split of such a column must raise (or
// lower) the value from left to right.
template <class Word>
void SplitSearch<Word>::scan_bounded(std::int32_t column, bool missing_second) {
  const GradientSum base = missing_second ? GradientSum() : missing_;
  const auto& monotone = rules_.given->monotone;
  const int way = monotone.empty() ? 0 : monotone[column];
  const double low = at_.node->low / rules_.value_unit(), high = at_.node->high / rules_.value_unit();
  for (std::uint32_t cut = 0; cut < places_.size(); ++cut) {
    const GradientSum left = GradientSum{gradient_[cut], hessian_[cut]} + base, right = at_.node->sum - left;
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
  if (!is_better(rank, column, cut) || !enough_rows(column, cut, left, missing_second)) return;
  best_.column = column, best_.cut = cut, best_.rank = rank, best_.score = score, best_.left = left;
  best_.last_code = places_[cut].code;
  best_.saw_missing = missing_.hessian != 0;
  best_.missing_second = missing_second;
  if (!best_.saw_missing) best_.missing_second = left.hessian * 2 < at_.node->sum.hessian;  // the heavier branch
  best_.levels.clear();
  if (table_.columns[column].kind == Kind::nominal)
    for (const Place& place : places_) best_.levels.push_back(place.code);
}

// Histograms hold no numbers of rows. Mostly the hessian says enough, since no row has more than the largest one; where
// it does not, the rows of this one column are counted.
template <class Word>
bool SplitSearch<Word>::enough_rows(std::int32_t column, std::uint32_t cut, const GradientSum& left,
                                    bool missing_second) {
  const std::int64_t least = rules_.given->min_samples_leaf, sure = least * rules_.largest_hessian;
  if (least <= 1 || (left.hessian >= sure && at_.node->sum.hessian - left.hessian >= sure)) return true;
  const BinnedColumn& binned = table_.columns[column];
  if (!counted_) {
    rows_by_code_.assign(binned.n_bins + 1, 0);
    for (std::uint32_t i = 0; i < at_.node->size(); ++i) ++rows_by_code_[binned.code(at_.rows[i])];
    counted_ = true;
  }
  std::int64_t rows = missing_second ? 0 : rows_by_code_[0];
  for (std::uint32_t i = 0; i <= cut; ++i) rows += rows_by_code_[places_[i].code];
  return rows >= least && at_.node->size() - rows >= least;
}

template class SplitSearch<PackedWord>;
template class SplitSearch<DoubleWord>;

}  // namespace tw
