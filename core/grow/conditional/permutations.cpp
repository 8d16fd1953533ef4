#include "grow/conditional/permutations.hpp"

#include <algorithm>  // for sort
#include <cmath>      // for log, llround

#include "base/counted_random.hpp"

namespace tw {
namespace {

// What is permuted: for each row its part of the target (classes) or its number, in order.
struct Ordered {
  std::vector<std::uint32_t> group;  // the value of each row, ascending
  std::vector<std::uint32_t> part;   // three classes and more
  std::vector<double> number;        // else: y less its mean
};

std::uint64_t copies(std::int64_t units, double unit) {
  return static_cast<std::uint64_t>(std::llround(double(units) * unit));
}

void lay_out_classes(const ColumnCounts& counts, double unit, std::span<const double> class_scores, Ordered& to) {
  const std::size_t K = counts.n_classes;
  const bool is_scale = K == 2 || !class_scores.empty();
  auto score = [&](std::size_t k) { return class_scores.empty() ? double(k) : class_scores[k]; };
  double mean = 0;
  for (std::size_t k = 0; k < K && is_scale; ++k) mean += score(k) * double(counts.known.classes[k]);
  mean /= double(counts.known.weight);
  for (std::size_t k = 0; k < K; ++k) {
    const std::uint64_t n = copies(counts.known.classes[k], unit);
    if (is_scale)
      to.number.insert(to.number.end(), n, score(k) - mean);
    else
      to.part.insert(to.part.end(), n, static_cast<std::uint32_t>(k));
  }
  std::sort(to.number.begin(), to.number.end());
}

void lay_out_numbers(const NodeView& node, std::int32_t column, double unit, double mean, Ordered& to) {
  const RankedColumn& c = node.column(column);
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    const std::uint32_t row = node.rows.rows[i];
    if (c.code(row) == 0) continue;
    const std::int64_t w = node.rows.pieces.empty() ? node.weighing.weight_of(row) : node.rows.pieces[i];
    to.number.insert(to.number.end(), copies(w, unit), double(node.weighing.level_of(row)));
  }
  std::sort(to.number.begin(), to.number.end());
  for (double& y : to.number) y -= mean;
}

// Puts `items` in an order drawn from the stream, by exchanging from the last place down (Fisher and Yates).
template <class T>
void shuffle(std::vector<T>& items, std::uint64_t stream) {
  for (std::size_t place = items.size() - 1; place > 0; --place)
    std::swap(items[place], items[below(drawn(stream, place), place + 1)]);
}

// Deviations of a permuted target; all but `d` stays as it was observed.
void take_permuted(const Ordered& rows, Deviations& to) {
  std::fill(to.d.begin(), to.d.end(), 0.0);
  const std::size_t parts = to.parts;
  if (parts > 1) {
    for (std::size_t i = 0; i < rows.group.size(); ++i) to.d[rows.group[i] * parts + rows.part[i]] += 1;
    for (std::size_t g = 0; g < to.size; ++g)
      for (std::size_t k = 0; k < parts; ++k)
        if (to.inverse[k] > 0) to.d[g * parts + k] -= to.weight[g] / to.inverse[k];
  } else {
    for (std::size_t i = 0; i < rows.group.size(); ++i) to.d[rows.group[i]] += rows.number[i];
  }
}

}  // namespace

double permuted_log_p(const NodeView& node, std::int32_t column, const ColumnCounts& counts, const Deviations& observed,
                      std::span<const double> scores, std::span<const double> class_scores, StatisticKind kind,
                      double statistic, const Permuting& permuting) {
  const double unit = node.weighing.unit;
  Ordered rows;
  for (std::size_t g = 0; g < counts.size(); ++g)
    rows.group.insert(rows.group.end(), copies(counts.weight[g], unit), static_cast<std::uint32_t>(g));
  if (counts.n_classes)
    lay_out_classes(counts, unit, class_scores, rows);
  else
    lay_out_numbers(node, column, unit, counts.known.numbers.mean(), rows);
  Deviations permuted = observed;  // in rows, not in units
  for (double& w : permuted.weight) w *= unit;
  permuted.total = permuted.n;
  const double limit = in_steps(statistic, observed.n, kind);
  std::uint64_t reached = 1;
  const Ordered start = rows;
  for (std::uint32_t repeat = 0; repeat < permuting.repeats; ++repeat) {
    if (repeat % 16 == 0) node.workers.checkpoint();
    const std::uint64_t stream =
        stream_key({permuting.seed, std::uint64_t(column), std::uint64_t(start.group.size()), repeat});
    rows.part = start.part, rows.number = start.number;
    rows.part.empty() ? shuffle(rows.number, stream) : shuffle(rows.part, stream);
    take_permuted(rows, permuted);
    const Association found =
        scores.empty() ? associate_levels(permuted, kind) : associate_ordered(permuted, scores, kind);
    reached += in_steps(found.statistic, observed.n, kind) >= limit;
  }
  return std::log(double(reached) / (permuting.repeats + 1.0));
}

}  // namespace tw
