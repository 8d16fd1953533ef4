#include "grow/several/column_search.hpp"

#include <algorithm>  // for sort, upper_bound
#include <numeric>    // for iota

#include "base/counted_random.hpp"
#include "base/radix_sort.hpp"

namespace tw {
namespace {

constexpr std::size_t kEveryGrouping = 10;  // levels
constexpr std::uint32_t kLast = 0xffffffffu;

// A number between two others; never the upper one.
double number_between(double low, double high, std::uint64_t word) {
  const double share = unit_number(word);
  const double x = low * (1 - share) + high * share;  // their difference may be beyond the largest number
  return x >= low && x < high ? x : low;
}

// The mean of each target at a level, or the share of each class.
double rate_of(const Tallies& level, std::size_t output) {
  if (!level.numbers.empty()) return level.numbers[output].mean();
  return double(level.classes[output]) / double(level.weight);
}

}  // namespace

Division ColumnSearch::search(const SearchedNode& node, std::int32_t column) {
  const RankedColumn& ranked = table_.columns[static_cast<std::size_t>(column)];
  Division found;
  column_ = column, n_tried_ = 0;
  sort_rows(node, ranked);
  of_node_ = goodness_(node.sums);
  Best best(-of_node_);
  if (parts_.size() > 1) {
    if (!ranked.ordered())
      group_levels(node, best, found);
    else if (node.random_key)
      draw_cut(*node.random_key, ranked, best, found);
    else
      scan_cuts(best, found);
  }
  ask_whether_known(best, found);
  found.candidate = std::move(best.get());
  if (!ranked.ordered())
    for (const Part& part : parts_) found.levels.push_back(part.code);
  return found;
}

void ColumnSearch::sort_rows(const SearchedNode& node, const RankedColumn& column) {
  words_.resize(node.rows.size());
  other_words_.resize(node.rows.size());
  column.visit_codes([&](auto* codes) {
    for (std::size_t i = 0; i < node.rows.size(); ++i)
      words_[i] = std::uint64_t(codes[node.rows[i]]) << 32 | node.rows[i];
  });
  sorted_ = radix_sort(words_.data(), other_words_.data(), words_.size(), bits_for(column.n_codes));
  parts_.clear();
  missing_.clear(targets_);
  for (std::uint32_t begin = 0, end = 0; begin < words_.size(); begin = end) {
    const auto code = static_cast<std::uint32_t>(sorted_[begin] >> 32);
    while (end < words_.size() && static_cast<std::uint32_t>(sorted_[end] >> 32) == code) ++end;
    if (code == 0)
      add_part(missing_, {0, begin, end});
    else
      parts_.push_back({code, begin, end});
  }
  known_ = node.sums;
  known_ -= missing_;
}

void ColumnSearch::add_part(Tallies& to, const Part& part) const {
  for (std::uint32_t i = part.begin; i < part.end; ++i) to.add(targets_, static_cast<std::uint32_t>(sorted_[i]));
}

bool ColumnSearch::offer(const Tallies& left, std::uint32_t number, Best& best) {
  const bool is_best = offer_sides(left, number, true, best);
  return missing_.rows > 0 ? offer_sides(left, number, false, best) || is_best : is_best;
}

bool ColumnSearch::offer_sides(const Tallies& left, std::uint32_t number, bool missing_left, Best& best) {
  right_ = known_;
  right_ -= left;
  joined_ = left;
  if (missing_.rows > 0) (missing_left ? joined_ : right_) += missing_;
  const auto rows = std::min<std::int64_t>(joined_.rows, right_.rows);
  const double lightest = double(std::min(joined_.weight, right_.weight)) * targets_.each[0]->weight_unit;
  if (rows < std::max<std::int64_t>(1, stop_.min_samples_leaf) || lightest < stop_.min_weight_leaf) return false;
  const double score = goodness_(joined_) + goodness_(right_) - of_node_;
  if (!best.offer(score, column_, number, missing_left)) return false;
  if (missing_.rows == 0) best.get().missing_left = joined_.weight >= right_.weight;  // where later ones go
  return true;
}

void ColumnSearch::scan_cuts(Best& best, Division& found) {
  left_.clear(targets_);
  for (std::size_t i = 0; i + 1 < parts_.size(); ++i) {
    add_part(left_, parts_[i]);
    if (!offer(left_, n_tried_++, best)) continue;
    best.get().kind = CutKind::threshold;
    found.code = parts_[i].code, found.next_code = parts_[i + 1].code;
  }
}

void ColumnSearch::draw_cut(std::uint64_t key, const RankedColumn& column, Best& best, Division& found) {
  const double low = column.value_of(parts_.front().code), high = column.value_of(parts_.back().code);
  const double x = number_between(low, high, drawn(key, static_cast<std::uint64_t>(column_)));
  left_.clear(targets_);
  std::size_t i = 0;
  for (; i + 1 < parts_.size() && column.value_of(parts_[i].code) <= x; ++i) add_part(left_, parts_[i]);
  if (!offer(left_, n_tried_++, best)) return;
  best.get().kind = CutKind::threshold;
  found.code = parts_[i - 1].code, found.next_code = parts_[i].code;
  best.get().inside = true;  // the number itself is stored
  found.threshold = x;
}

void ColumnSearch::group_levels(const SearchedNode& node, Best& best, Division& found) {
  std::vector<Tallies> levels(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) levels[i].clear(targets_), add_part(levels[i], parts_[i]);
  std::vector<std::uint32_t> left;
  if (node.random_key) {  // every level gets a side by a word of its own, until both sides have one
    for (std::uint64_t round = 0; left.empty() || left.size() == levels.size(); ++round) {
      const std::uint64_t stream = stream_key({*node.random_key, static_cast<std::uint64_t>(column_), round});
      left.clear();
      for (std::uint32_t i = 0; i < parts_.size(); ++i)
        if (drawn(stream, parts_[i].code) >> 63) left.push_back(i);
    }
    return try_group(left, n_tried_++, levels, best, found);
  }
  if (levels.size() > kEveryGrouping) return try_orders(best, found, levels);
  for (std::uint32_t mask = 1; mask < 1u << (levels.size() - 1); ++mask) {  // the first level is always on the left
    left.assign(1, 0);
    for (std::uint32_t i = 1; i < levels.size(); ++i)
      if (!(mask >> (i - 1) & 1)) left.push_back(i);
    try_group(left, n_tried_++, levels, best, found);
  }
}

void ColumnSearch::try_orders(Best& best, Division& found, const std::vector<Tallies>& levels) {
  std::vector<std::uint32_t> order(levels.size());
  std::vector<double> rate(levels.size());
  const std::size_t outputs = targets_.numbers() ? targets_.size() : targets_.first_class.back();
  for (std::size_t output = 0; output < outputs; ++output) {
    for (std::size_t i = 0; i < levels.size(); ++i) rate[i] = rate_of(levels[i], output);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return rate[a] < rate[b]; });
    left_.clear(targets_);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      left_ += levels[order[i]];
      if (!offer(left_, n_tried_++, best)) continue;
      best.get().kind = CutKind::levels;
      best.get().left_levels.clear();
      for (std::size_t j = 0; j <= i; ++j) best.get().left_levels.push_back(parts_[order[j]].code);
    }
  }
  for (std::uint32_t i = 0; i < levels.size(); ++i) try_group({i}, n_tried_++, levels, best, found);
}

void ColumnSearch::try_group(const std::vector<std::uint32_t>& left, std::uint32_t number,
                             const std::vector<Tallies>& levels, Best& best, Division& /*found*/) {
  left_.clear(targets_);
  for (const std::uint32_t i : left) left_ += levels[i];
  if (!offer(left_, number, best)) return;
  best.get().kind = CutKind::levels;
  best.get().left_levels.clear();
  for (const std::uint32_t i : left) best.get().left_levels.push_back(parts_[i].code);
}

void ColumnSearch::ask_whether_known(Best& best, Division& found) {
  if (missing_.rows == 0 || parts_.empty()) return;
  if (!offer_sides(known_, kLast, false, best)) return;
  const bool ordered = table_.columns[static_cast<std::size_t>(column_)].ordered();
  best.get().known_or_missing = true;
  best.get().kind = ordered ? CutKind::threshold : CutKind::levels;
  best.get().inside = false;
  found.code = parts_.back().code, found.next_code = kLast;
  best.get().left_levels.clear();
  for (const Part& part : parts_) best.get().left_levels.push_back(part.code);
}

}  // namespace tw
