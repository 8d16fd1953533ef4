#include "grow/boost/split_search.hpp"

#include <algorithm>  // for clamp, max, sort
#include <cmath>      // for llround

namespace tw {

template <class Word>
void SplitSearch<Word>::start(const SearchedNode<Word>& at) {
  at_ = at;
  counts_rows_ = false;
  levels_.clear();
  best_ = BoostSplit();
  best_.score = at_.node->undivided + rules_.extra;
  best_.rank = std::llround(best_.score * rules_.grid);
}

template <class Word>
BoostSplit SplitSearch<Word>::finish(std::span<const std::int32_t> columns, bool scanned) {
  look_at_all(columns, scanned);
  if (best_.found() && !surely_enough(best_.left) && !winner_has_rows()) {
    start(at_);
    counts_rows_ = true;
    look_at_all(columns, false);
  }
  return std::move(best_);
}

template <class Word>
void SplitSearch<Word>::look_at_all(std::span<const std::int32_t> columns, bool scanned) {
  const auto look = [&](std::int32_t column) {
    const bool in_groups = table_.columns[column].is_narrow() && table_.columns[column].kind != Kind::nominal;
    if (!scanned || !in_groups) look_at(column);
  };
  for (const std::int32_t column : columns) {
    if (table_.columns[column].coded_by >= 0) look(table_.columns[column].coded_by);
    if (has_support(table_.columns[column])) look(column);
  }
}

// Levels with few rows each at the node are only looked at in the order that other rows have given them.
template <class Word>
bool SplitSearch<Word>::has_support(const BinnedColumn& column) const {
  return column.coded_by < 0 || static_cast<double>(at_.node->n_rows) >= rules_.given->level_support * column.n_bins;
}

template <class Word>
void SplitSearch<Word>::look_at(std::int32_t column) {
  const BinnedColumn& binned = table_.columns[column];
  charge_ = 0, counted_ = false;
  levels_.clear(), sums_.clear();
  const Word* bins = binned.is_narrow() ? at_.histogram + table_.line_of(column) : nullptr;
  if (bins && binned.kind != Kind::nominal) {
    add_up(bins, binned.n_bins);
  } else {
    bins ? take_levels(binned, bins) : count_codes(binned);
    if (binned.kind == Kind::nominal) order_levels();
    if (levels_.empty()) return;
    if (binned.kind == Kind::nominal && levels_.size() > 2) charge_ = rules_.charge * double(levels_.size() - 2);
    GradientSum sum;
    for (const Level& level : levels_) sums_.push_back(sum = sum + level.sum);
  }
  for (const bool second : {false, true}) {
    if (second && missing_.hessian == 0) break;
    rules_.bounded ? scan_bounded(column, second) : scan(column, second);
  }
}

template <class Word>
void SplitSearch<Word>::add_up(const Word* bins, std::uint32_t n) {
  missing_ = sum_of(bins[0], rules_.units.layout);
  Word sum{};
  for (std::uint32_t code = 1; code <= n; ++code)
    sums_.push_back(sum_of(sum += bins[std::size_t{code} * kTogether], rules_.units.layout));
}

template <class Word>
void SplitSearch<Word>::take_levels(const BinnedColumn& column, const Word* bins) {
  missing_ = sum_of(bins[0], rules_.units.layout);
  for (std::uint32_t code = 1; code <= column.n_bins; ++code) {
    const Word& bin = bins[std::size_t{code} * kTogether];
    if (!is_empty(bin)) levels_.push_back({code, sum_of(bin, rules_.units.layout), 0});
  }
}

// A wide column has no histogram: the rows are counted by their codes.
template <class Word>
void SplitSearch<Word>::count_codes(const BinnedColumn& column) {
  by_code_.resize(std::max<std::size_t>(by_code_.size(), column.n_bins + 1));
  touched_.clear();
  for (std::uint32_t i = 0; i < at_.node->size(); ++i) {
    const std::uint32_t code = column.wide[at_.rows[i]];
    if (is_empty(by_code_[code])) touched_.push_back(code);
    by_code_[code] += at_.words[at_.rows[i]];
  }
  missing_ = sum_of(by_code_[0], rules_.units.layout);
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t code : touched_) {
    if (code) levels_.push_back({code, sum_of(by_code_[code], rules_.units.layout), 0});
    by_code_[code] = Word{};
  }
}

template <class Word>
void SplitSearch<Word>::order_levels() {
  for (Level& level : levels_)
    level.ratio = static_cast<double>(level.sum.gradient) / (static_cast<double>(level.sum.hessian) + rules_.smoothing);
  std::sort(levels_.begin(), levels_.end(),
            [](const Level& a, const Level& b) { return a.ratio != b.ratio ? a.ratio < b.ratio : a.code < b.code; });
}

// A little below the middle between two steps of the grid, so that rounding never hides a cut that counts: an equal
// score wins where it may come from an earlier column, or in the second walk from an earlier cut.
template <class Word>
double SplitSearch<Word>::bar(const ColumnGroup& group, bool missing_second) const {
  const std::int32_t turn = best_.found() ? table_.columns[best_.column].turn : -1;
  const bool equal_wins = missing_second ? turn >= group.first_turn : turn > group.first_turn;
  return (static_cast<double>(best_.rank) + (equal_wins ? -0.52 : 0.48)) * rules_.per_grid;
}

// Whether the score of a split is above a bar, or so near to it that rounding decides; without a division.
template <class Word>
bool SplitSearch<Word>::is_above(const GradientSum& left, double bar) const {
  const GradientSum right = at_.node->sum - left;
  const double gl = static_cast<double>(left.gradient), gr = static_cast<double>(right.gradient);
  const double pl = static_cast<double>(left.hessian) + rules_.l2, pr = static_cast<double>(right.hessian) + rules_.l2;
  return gl * gl * pr + gr * gr * pl >= bar * (pl * pr) * (1 - 0x1p-50);
}

template <class Word>
void SplitSearch<Word>::take(const PassingCut& cut) {
  if constexpr (sizeof(Word) == sizeof(PackedWord)) {
    const GradientSum left = sum_of(cut.left, rules_.units.layout);
    if (!is_above(left, (static_cast<double>(best_.rank) - 0.52) * rules_.per_grid) || !is_large_enough(left)) return;
    missing_ = sum_of(at_.histogram[table_.line_of(cut.column)], rules_.units.layout);
    offer(cut.column, cut.bin - 1, left, score_of(left) + score_of(at_.node->sum - left), cut.missing_second);
  }
}

template <class Word>
bool SplitSearch<Word>::is_better(const BoostSplit& split) const {
  if (split.rank != best_.rank || !best_.found()) return split.rank > best_.rank;
  if (split.column != best_.column) return table_.columns[split.column].turn < table_.columns[best_.column].turn;
  return split.cut < best_.cut;
}

template <class Word>
bool SplitSearch<Word>::is_large_enough(const GradientSum& left) const {
  const GradientSum right = at_.node->sum - left;
  const std::int64_t rows = rules_.units.layout.counts_rows() ? rules_.given->min_samples_leaf : 0;
  return static_cast<double>(left.hessian) >= rules_.least_hessian &&
         static_cast<double>(right.hessian) >= rules_.least_hessian && left.rows >= rows && right.rows >= rows;
}

template <class Word>
double SplitSearch<Word>::score_of(const GradientSum& side) const {
  const double g = static_cast<double>(side.gradient);
  return g * g / (static_cast<double>(side.hessian) + rules_.l2);
}

template <class Word>
void SplitSearch<Word>::scan(std::int32_t column, bool missing_second) {
  const GradientSum base = missing_second ? GradientSum{} : missing_;
  for (std::uint32_t cut = 0; cut < sums_.size(); ++cut) {
    const GradientSum left = base + sums_[cut];
    if (is_large_enough(left))
      offer(column, cut, left, score_of(left) + score_of(at_.node->sum - left) - charge_, missing_second);
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
  const GradientSum base = missing_second ? GradientSum{} : missing_;
  const auto& monotone = rules_.given->monotone;
  const bool stands_in = static_cast<std::size_t>(column) >= table_.columns_given;  // for levels, which have no order
  const int way = monotone.empty() || stands_in ? 0 : monotone[column];
  const double low = at_.node->low / rules_.value_unit(), high = at_.node->high / rules_.value_unit();
  for (std::uint32_t cut = 0; cut < sums_.size(); ++cut) {
    const GradientSum left = base + sums_[cut], right = at_.node->sum - left;
    if (!is_large_enough(left)) continue;
    const double first = std::clamp(rules_.newton(left), low, high);
    const double second = std::clamp(rules_.newton(right), low, high);
    if (way * (first - second) > 0) continue;
    offer(column, cut, left, bounded_score(left, first) + bounded_score(right, second) - charge_, missing_second);
  }
}

template <class Word>
void SplitSearch<Word>::offer(std::int32_t column, std::uint32_t cut, const GradientSum& left, double score,
                              bool missing_second) {
  const double rank = score * rules_.grid;
  if (rank < static_cast<double>(best_.rank) - 0.5) return;  // most are
  BoostSplit split;
  split.column = column, split.cut = cut, split.left = left, split.score = score;
  split.rank = std::llround(rank);
  if (!is_better(split)) return;
  if (counts_rows_ && !surely_enough(left) && !enough_rows(column, cut, missing_second)) return;
  split.last_code = code_at(cut);
  split.missing_second = missing_second;
  split.saw_missing = missing_.hessian != 0;
  if (!split.saw_missing) split.missing_second = left.hessian * 2 < at_.node->sum.hessian;  // the heavier branch
  if (table_.columns[column].kind == Kind::nominal)
    for (const Level& level : levels_) split.levels.push_back(level.code);
  best_ = std::move(split);
}

// Histograms of long tables hold no numbers of rows. Mostly the hessian says enough, since no row has more than the
// largest one. Where it does not, the rows of the best split are counted; and where those are too few, there is a
// second search that counts the rows of every column that it has to.
template <class Word>
bool SplitSearch<Word>::surely_enough(const GradientSum& left) const {
  const std::int64_t least = rules_.given->min_samples_leaf, sure = least * rules_.largest_hessian;
  return least <= 1 || rules_.units.layout.counts_rows() ||
         (left.hessian >= sure && at_.node->sum.hessian - left.hessian >= sure);
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
  rows = table_.peers->sum(rows);
  const std::int64_t least = rules_.given->min_samples_leaf;
  return rows >= least && at_.node->n_rows - rows >= least;
}

template <class Word>
bool SplitSearch<Word>::enough_rows(std::int32_t column, std::uint32_t cut, bool missing_second) {
  const std::int64_t least = rules_.given->min_samples_leaf;
  if (!counted_) count_rows(table_.columns[column]);
  const std::int64_t rows = running_rows_[cut] + (missing_second ? 0 : rows_by_code_[0]);
  return rows >= least && at_.node->n_rows - rows >= least;
}

template <class Word>
void SplitSearch<Word>::count_rows(const BinnedColumn& column) {
  rows_by_code_.assign(column.n_bins + 1, 0);
  for (std::uint32_t i = 0; i < at_.node->size(); ++i) ++rows_by_code_[column.code(at_.rows[i])];
  table_.peers->add(rows_by_code_);
  running_rows_.resize(sums_.size());
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < sums_.size(); ++i) running_rows_[i] = sum += rows_by_code_[code_at(i)];
  counted_ = true;
}

template class SplitSearch<PackedWord>;
template class SplitSearch<WideWord>;

}  // namespace tw
