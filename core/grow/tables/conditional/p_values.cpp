#include "grow/tables/conditional/p_values.hpp"

#include <algorithm>  // for max, min, sort
#include <cmath>      // for log, sqrt, llround

#include "base/counted_random.hpp"
#include "base/tails.hpp"

namespace tw {

namespace {

constexpr std::uint64_t kSamples = 2048;
constexpr double kLeastMaximum = 0.25;  // chances near 1 are not told apart

// Correlated normal numbers out of independent ones. Indicators with shares a have the covariance diag(a) − a·aᵀ; its
// root diag(√a) − a·√aᵀ needs no decomposition. Divided by its standard deviation, entry i is
// (e_i − √a_i · Σ √a_j e_j) / √(1 − a_i).
class Root {
 public:
  explicit Root(std::vector<double> shares) : roots_(std::move(shares)) {
    for (double& a : roots_) a = std::sqrt(a);
  }
  std::size_t size() const { return std::max<std::size_t>(1, roots_.size()); }
  bool is_one_number() const { return roots_.size() <= 2; }  // two shares: the same number with both signs

  void apply(double* e, std::size_t stride) const {
    if (roots_.empty()) return;
    double sum = 0;
    for (std::size_t i = 0; i < roots_.size(); ++i) sum += roots_[i] * e[i * stride];
    for (std::size_t i = 0; i < roots_.size(); ++i)
      e[i * stride] = (e[i * stride] - roots_[i] * sum) / std::sqrt(1 - roots_[i] * roots_[i]);
  }
  double correlation(std::size_t i, std::size_t j) const {
    if (i == j || roots_.empty()) return 1;
    return -roots_[i] * roots_[j] / std::sqrt((1 - roots_[i] * roots_[i]) * (1 - roots_[j] * roots_[j]));
  }

 private:
  std::vector<double> roots_;  // of the shares; empty: one number
};

Root column_root(const Deviations& column, bool by_level) {
  if (!by_level) return Root({});
  if (column.size == 2) return Root({0.5, 0.5});
  std::vector<double> shares;
  for (const double a : column.weight) shares.push_back(a / column.total);
  return Root(std::move(shares));
}

Root target_root(const Deviations& column) {
  if (column.parts == 1) return Root({});
  std::vector<double> shares;
  for (const double inverse : column.inverse)
    if (inverse > 0) shares.push_back(1 / inverse);
  if (shares.size() == 2) return Root({0.5, 0.5});
  return Root(std::move(shares));
}

// A standard normal number known to be above `least`, by rejection (Marsaglia 1964).
double beyond(double least, std::uint64_t stream) {
  for (std::uint64_t index = 0;; index += 2) {
    const double z = std::sqrt(least * least - 2 * std::log(unit_number(drawn(stream, index))));
    if (unit_number(drawn(stream, index + 1)) * z < least) return z;
  }
}

// How many entries reach `least` in a sample where entry (row, col) is forced beyond it.
std::size_t count_reaching(const Root& g, const Root& h, std::vector<double>& z, std::size_t row, std::size_t col,
                           double least, double forced) {
  const std::size_t Q = h.size();
  const double lift = forced - z[row * Q + col];
  std::size_t reaching = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double along = lift * g.correlation(i, row);
    for (std::size_t k = 0; k < Q; ++k) {
      const bool is_forced = i == row && k == col;
      reaching += is_forced || std::abs(z[i * Q + k] + along * h.correlation(k, col)) >= least;
    }
  }
  return reaching;
}

}  // namespace

double log_maximum_tail(double statistic, const Deviations& column, bool by_level, std::uint64_t seed) {
  const Root g = column_root(column, by_level), h = target_root(column);
  if (g.is_one_number() && h.is_one_number()) return log_chi_square_tail(statistic * statistic, 1);
  const double least = std::max(statistic, kLeastMaximum);
  const std::size_t P = g.size(), Q = h.size(), entries = P * Q;
  std::vector<double> z(entries);
  double total = 0;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    const std::uint64_t stream = stream_key({seed, P, Q, sample});
    for (std::size_t e = 0; e < entries; ++e) z[e] = drawn_normal(stream, e);
    for (std::size_t i = 0; i < P; ++i) h.apply(z.data() + i * Q, 1);
    for (std::size_t k = 0; k < Q; ++k) g.apply(z.data() + k, Q);
    const std::size_t at = sample % entries;
    const double forced = beyond(least, stream_key({stream, entries}));
    total += 1.0 / double(count_reaching(g, h, z, at / Q, at % Q, least, forced));
  }
  const double estimate = log_chi_square_tail(least * least, 1) + std::log(double(entries) * total / double(kSamples));
  return std::min(0.0, estimate);
}

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
