#include "grow/tables/branch_per_level.hpp"

#include <cmath>  // for floor, log2

namespace tw {
namespace {

constexpr double kGainQuanta = 1099511627776.0;  // 2^40: gains that agree so far are a tie, and the first column wins

// Σ x·log2(x) over the classes, less that of their sum: minus weight × entropy.
double negative_information(std::span<const std::int64_t> classes, double weight) {
  double sum = weight > 0 ? -weight * std::log2(weight) : 0;
  for (const std::int64_t c : classes)
    if (c > 0) sum += double(c) * std::log2(double(c));
  return sum;
}

}  // namespace

void BranchPerLevel::look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const {
  double inside = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    inside += negative_information(counts.classes_of(i), double(counts.weight[i]));
  if (counts.missing.weight > 0) inside += negative_information(counts.missing.classes, double(counts.missing.weight));
  const double n = double(node.sums.weight);
  found.gain = (inside - negative_information(node.sums.classes, n)) / n;
  found.score = std::floor(found.gain * kGainQuanta + 0.5);
  // A column with one level and holes can still be asked: the holes are a branch of their own.
  found.constant = counts.size() + (counts.missing.weight > 0) < 2;
  found.usable = !found.constant && found.gain >= min_gain_ - 1e-12;
  found.n_branches = node.column(column).n_codes;
}

Decision BranchPerLevel::choose(const NodeView& node, std::span<Found> found, Counter& /*counter*/) const {
  const Found* best = nullptr;
  std::int32_t column = -1;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].usable && (!best || found[i].score > best->score)) best = &found[i], column = node.columns[i];
  Decision decision;
  if (!best) return decision;
  Split split;
  split.kind = TestKind::levels, split.column = column, split.forget_column = true;
  split.n_branches = best->n_branches;
  for (std::uint32_t code = 1; code <= best->n_branches; ++code)
    split.levels.push_back({code, static_cast<std::uint16_t>(code - 1)});
  if (node.recipe.missing_name == "branch" && node.column(column).has_missing)
    split.missing = static_cast<std::int32_t>(split.n_branches++);
  decision.split = std::move(split);
  return decision;
}

}  // namespace tw
