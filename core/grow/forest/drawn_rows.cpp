#include "grow/forest/drawn_rows.hpp"

#include <algorithm>  // for max, min, nth_element, sort, unique, upper_bound
#include <cmath>      // for llround

#include "base/counted_random.hpp"
#include "base/error.hpp"
#include "table/row_order.hpp"

namespace tw {
namespace {

constexpr std::uint64_t kMostUnits = 1ull << 31;

bool weights_can_be_units(const Target& target, const ForestRules& rules) {
  if (target.unit_weights()) return true;
  if (!rules.groups.empty()) return false;
  if (target.weight_unit != 1) return false;
  std::uint64_t total = 0;
  for (const std::uint32_t row : target.rows) total += static_cast<std::uint64_t>(target.weight[row]);
  return total <= kMostUnits;
}

// Those of which some row counts.
std::vector<std::uint32_t> groups_that_count(const Target& target, const std::vector<std::uint32_t>& groups) {
  std::vector<std::uint32_t> found;
  found.reserve(target.rows.size());
  for (const std::uint32_t row : target.rows) found.push_back(groups[row]);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

DrawUnits::DrawUnits(std::vector<std::uint32_t> rows, const std::vector<std::int64_t>* weights)
    : rows_(std::move(rows)) {
  std::uint64_t sum = 0;
  for (const std::uint32_t row : rows_)
    if (weights) end_.push_back(sum += static_cast<std::uint64_t>((*weights)[row]));
}

std::uint32_t DrawUnits::row_of(std::uint64_t unit) const {
  if (end_.empty()) return rows_[unit];
  return rows_[std::upper_bound(end_.begin(), end_.end(), unit) - end_.begin()];
}

RowDrawer::RowDrawer(const Table& table, const Target& target, const ForestRules& rules, Workers& workers)
    : target_(target), rules_(rules), n_rows_(table.n_rows), weights_are_units_(weights_can_be_units(target, rules)) {
  if (rules.sampling == Sampling::all_rows) return;
  if (!rules.groups.empty() && rules.groups.size() != n_rows_) throw BadInput("one group for each row was expected");
  std::vector<std::uint32_t> order =
      rules.groups.empty() ? rows_by_content(table, target, workers) : groups_that_count(target, rules.groups);
  const auto* weights = weights_are_units_ && !target.unit_weights() ? &target.weight : nullptr;
  if (rules.sampling == Sampling::balanced) {
    std::vector<std::vector<std::uint32_t>> rows(target.n_classes);
    for (const std::uint32_t row : order) rows[target.classes[row]].push_back(row);
    n_draws_ = kMostUnits;
    for (auto& of_class : rows) {
      if (of_class.empty()) continue;
      of_class_.emplace_back(std::move(of_class), weights);
      n_draws_ = std::min(n_draws_, of_class_.back().size());
    }
    return;
  }
  all_ = DrawUnits(std::move(order), weights);
  n_draws_ = rules.draws > 0 ? rules.draws
                             : static_cast<std::uint64_t>(std::max<long long>(
                                   1, std::llround(rules.share_of_draws * static_cast<double>(all_.size()))));
}

double RowDrawer::repeats() const {
  if (rules_.sampling == Sampling::balanced) return 2;
  if (rules_.sampling != Sampling::with_replacement) return 1;
  return 1 + static_cast<double>(n_draws_) / static_cast<double>(all_.size());
}

void RowDrawer::draw(std::uint32_t tree, std::vector<std::uint32_t>& counts) const {
  counts.assign(n_rows_, 0);
  const std::uint64_t stream = stream_key({rules_.seed, static_cast<std::uint64_t>(Purpose::bootstrap), tree});
  if (!rules_.groups.empty()) return draw_groups(stream, counts);
  if (rules_.sampling == Sampling::with_replacement) return draw_with_replacement(all_, n_draws_, stream, counts);
  if (rules_.sampling == Sampling::without_replacement) return draw_without_replacement(stream, counts);
  if (rules_.sampling == Sampling::balanced) {
    for (std::size_t k = 0; k < of_class_.size(); ++k)
      draw_with_replacement(of_class_[k], n_draws_, stream_key({stream, k}), counts);
    return;
  }
  for (const std::uint32_t row : target_.rows)
    counts[row] = weights_are_units_ ? static_cast<std::uint32_t>(target_.weight_of(row)) : 1;
}

void RowDrawer::draw_with_replacement(const DrawUnits& units, std::uint64_t n_draws, std::uint64_t stream,
                                      std::vector<std::uint32_t>& counts) const {
  const std::uint64_t size = units.size();
  for (std::uint64_t i = 0; i < n_draws; ++i) ++counts[units.row_of(below(drawn(stream, i), size))];
}

// The units with the smallest words.
void RowDrawer::draw_without_replacement(std::uint64_t stream, std::vector<std::uint32_t>& counts) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> words(all_.size());
  for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = {drawn(stream, i), i};
  const std::size_t n = std::min<std::size_t>(n_draws_, words.size());
  if (n < words.size()) std::nth_element(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n), words.end());
  for (std::size_t i = 0; i < n; ++i) ++counts[all_.row_of(words[i].second)];
}

void RowDrawer::draw_groups(std::uint64_t stream, std::vector<std::uint32_t>& counts) const {
  std::vector<std::uint32_t> of_group(n_rows_, 0);  // there are no more groups than rows
  if (rules_.sampling == Sampling::with_replacement)
    draw_with_replacement(all_, n_draws_, stream, of_group);
  else
    draw_without_replacement(stream, of_group);
  for (const std::uint32_t row : target_.rows) counts[row] = of_group[rules_.groups[row]];
}

}  // namespace tw
