#include "grow/tables/oblique/oblique.hpp"

#include <algorithm>  // for max, min, sort, stable_sort
#include <bit>        // for bit_width
#include <cmath>      // for ceil, floor, log2, rint
#include <limits>     // for numeric_limits

#include "base/log_gamma.hpp"
#include "grow/tables/oblique/axis_cut.hpp"
#include "grow/tables/oblique/standardized_rows.hpp"
#include "grow/tables/oblique/sum_search.hpp"

namespace tw {
namespace {

constexpr double kQuanta = 1099511627776.0;  // 2^40
constexpr int kCloudWeightBits = 12;
constexpr double kMostMissing = 0.3;  // a column with a larger share of holes takes part in no sum
constexpr double kFewestRows = 20, kRowsPerColumn = 10;
constexpr double kMostColumns = 24;  // that a search for sums starts from, unless longer sums are asked for

// What `look` leaves for `choose`, in the numbers of Found: gain and score are in bits, their difference is the price.
double missing_share(const Found& found) { return found.statistic; }
bool varies(const Found& found) { return found.degrees > 0; }
AxisMissing missing_of(const Found& found) { return static_cast<AxisMissing>(static_cast<int>(found.log_p)); }

// Bits that tell the classes of a leaf, shares included (Krichevsky and Trofimov), among the classes that it has.
double class_bits(const NodeView& node) {
  double half = 0, bits = 0;
  for (const std::int64_t units : node.sums.classes) {
    if (units == 0) continue;
    half += 0.5;
    bits -= log_gamma(node.weight(units) + 0.5) - log_gamma(0.5);
  }
  return half > 0.5 ? (bits + log_gamma(node.weight(node.sums.weight) + half) - log_gamma(half)) / std::log(2) : 0;
}

// The numbers of some columns, a few rows at a time: where a row lies in one piece, it is fetched once for all columns.
std::vector<StandardizedColumn> read_columns(const NodeView& node, std::span<const std::size_t> places) {
  constexpr std::size_t kChunk = 128, kChunksBetweenChecks = 128;
  const std::span<const std::uint32_t> rows = node.rows.rows;
  std::vector<StandardizedColumn> columns(places.size());
  for (std::size_t j = 0; j < places.size(); ++j)
    if (node.column(node.columns[places[j]]).ordered())
      columns[j].values.resize(rows.size());
    else
      columns[j] = scored_column(node, node.columns[places[j]]);
  for (std::size_t begin = 0; begin < rows.size(); begin += kChunk) {
    if (begin % (kChunk * kChunksBetweenChecks) == 0) node.workers.checkpoint();
    const std::size_t end = std::min(begin + kChunk, rows.size());
    for (std::size_t j = 0; j < places.size(); ++j) {
      if (columns[j].is_nominal()) continue;
      const Values& numbers = node.column(node.columns[places[j]]).numbers;
      double* to = columns[j].values.data();
      numbers.visit([&](auto zero) {
        for (std::size_t i = begin; i < end; ++i)
          to[i] = static_cast<double>(numbers.load<decltype(zero)>(rows[i])) + 0.0;  // −0 becomes +0
      });
      for (std::size_t i = begin; numbers.missing && i < end; ++i)
        if (numbers.missing[rows[i]]) to[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return columns;
}

}  // namespace

Oblique::Oblique(const Recipe& recipe)
    : min_leaf_(recipe.stop.min_samples_leaf), max_terms_(recipe.options.number("max_terms")),
      penalty_(recipe.options.number("penalty")), ridge_(recipe.options.number("ridge")),
      may_add_(recipe.options.numbers("may_add")), pays_only_(recipe.options.flag("pays_only")),
      learns_(recipe.missing_name == "learn"),
      n_counted_(static_cast<std::uint32_t>(recipe.options.number("n_counted"))) {}

void Oblique::prepare(const NodeView& root) {
  logs_ = Logarithms(root.sums.weight);
  std::int64_t heaviest = 1;
  for (const std::uint32_t row : root.rows.rows) heaviest = std::max(heaviest, root.weighing.weight_of(row));
  weight_drop_ = std::max(0, static_cast<int>(std::bit_width(std::uint64_t(heaviest))) - kCloudWeightBits);
  const Target& target = *root.weighing.target;
  if (target.n_classes != 2 || !target.unit_weights()) return;
  second_.assign(target.classes.size() / 32 + 1, 0);
  for (std::size_t row = 0; row < target.classes.size(); ++row)
    second_[row >> 5] |= std::uint32_t(target.classes[row]) << (row & 31);
}

bool Oblique::look_at_list(const NodeView& node, std::int32_t column, Found& found) const {
  const std::span<const std::uint64_t> list = node.lists[column];
  if (second_.empty() || list[0] >> 32 == 0) return false;
  const ListCut best = find_list_cut(list, node.sums.classes, second_, {logs_, min_leaf_, learns_});
  found.constant = best.n_codes < 2;
  found.degrees = best.n_codes > 1;
  if (!best.cut.found) return true;
  found.usable = true;
  found.gain = best.cut.saved * node.weighing.unit;
  found.score = found.gain - axis_price(false, best.n_codes, false);
  found.cut = best.cut.cut, found.next = best.cut.next;
  found.log_p = static_cast<double>(best.cut.missing);
  return true;
}

void Oblique::look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const {
  const bool has_missing = counts.missing.weight > 0;
  found.constant = counts.size() + (has_missing && learns_) < 2;
  found.statistic = double(counts.missing.weight) / double(node.sums.weight);
  found.degrees = counts.size() > 1;
  AxisCut cut = find_axis_cut(node, column, counts, {logs_, min_leaf_, learns_});
  if (!cut.found) return;
  found.usable = true;
  found.gain = cut.saved * node.weighing.unit;
  found.score = found.gain - axis_price(!node.column(column).ordered(), counts.size(), has_missing && learns_);
  found.cut = cut.cut, found.next = cut.next, found.levels = std::move(cut.levels);
  found.log_p = static_cast<double>(cut.missing);
}

// With pruning by price in view: even a test that leaves nothing to tell would cost more than it saves.
bool Oblique::is_leaf(const NodeView& node) const {
  if (node.sums.is_pure()) return true;
  return pays_only_ && !node.sums.classes.empty() &&
         class_bits(node) <= std::log2(double(node.table.columns.size())) + 1;
}

bool Oblique::is_usable(const NodeView& node, std::int32_t column, const Found& found) const {
  if (may_add_[column] == 0 || !varies(found) || missing_share(found) > kMostMissing) return false;
  return node.column(column).ordered() || (found.usable && found.levels.size() <= kMostScoredLevels);
}

std::vector<std::size_t> Oblique::columns_of_sums(std::span<const Found> found, std::vector<std::size_t> usable,
                                                  double weight, double quantum) const {
  auto rank = [&](std::size_t i) { return found[i].usable ? std::rint(found[i].score / quantum) : -INFINITY; };
  const double n = std::min(
      {double(usable.size()), std::max(2.0, std::floor(weight / kRowsPerColumn)), std::max(kMostColumns, max_terms_)});
  if (n < 2) return {};
  std::stable_sort(usable.begin(), usable.end(), [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  usable.resize(static_cast<std::size_t>(n));
  std::sort(usable.begin(), usable.end());
  return usable;
}

// Columns whose numbers are too large or too close to each other to work with are left out of `places`, too.
StandardizedRows Oblique::standardize(const NodeView& node, std::vector<std::size_t>& places) const {
  std::vector<double> weights;
  if (!node.weighing.target->unit_weights())
    for (const std::uint32_t row : node.rows.rows)
      weights.push_back(std::rint(std::ldexp(double(node.weighing.weight_of(row)), -weight_drop_)));
  std::vector<StandardizedColumn> columns = read_columns(node, places);
  std::vector<StandardizedColumn> sound_columns;
  std::vector<std::size_t> sound;
  for (std::size_t j = 0; j < places.size(); ++j) {
    node.workers.checkpoint();
    columns[j].set_moments(weights);
    if (!columns[j].is_sound()) continue;
    columns[j].set_steps();
    sound_columns.push_back(std::move(columns[j]));
    sound.push_back(places[j]);
  }
  places = std::move(sound);
  return StandardizedRows(std::move(sound_columns), node.rows.size(), std::move(weights),
                          std::ldexp(node.weighing.unit, weight_drop_), node.workers);
}

Decision Oblique::choose(const NodeView& node, std::span<Found> found, Counter& counter) const {
  const double weight = node.weight(node.sums.weight);
  const bool classes = !node.sums.classes.empty();
  const double most = classes ? node_impurity(CriterionName::entropy, node.sums, node.weighing) * weight : 20 * weight;
  const double quantum = most / kQuanta;
  std::size_t best = found.size();
  auto score = [&](std::size_t i) { return i < found.size() ? std::rint(found[i].score / quantum) : -INFINITY; };
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].usable && score(i) > score(best)) best = i;
  Decision decision;
  double price = try_sums(node, found, quantum, score(best), decision);
  if (!decision.split && best < found.size()) {
    price = found[best].gain - found[best].score;
    decision.split = axis_split(node, node.columns[best], found[best], counter);
  }
  if (decision.split) {
    const double own = classes ? 0 : std::log2(weight) / 2;  // of the mean that the new leaf adds
    decision.extras = {price + std::log2(double(node.table.columns.size())) + 1 + own};
  }
  return decision;
}

// Decides for the best sum if its score is above `to_beat`, and gives its price.
double Oblique::try_sums(const NodeView& node, std::span<const Found> found, double quantum, double to_beat,
                         Decision& decision) const {
  const double weight = node.weight(node.sums.weight);
  if (weight < kFewestRows || max_terms_ < 2) return 0;
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (is_usable(node, node.columns[i], found[i])) usable.push_back(i);
  std::vector<std::size_t> places = columns_of_sums(found, usable, weight, quantum);
  if (places.empty()) return 0;
  const StandardizedRows standardized = standardize(node, places);
  if (places.size() < 2) return 0;
  const double per_term = penalty_ * (std::log2(weight) / 2 + std::log2(double(usable.size())));
  SumSearch search(node, standardized, logs_, {ridge_, per_term, quantum, min_leaf_, max_terms_});
  const PricedSum sum = search.best();
  if (!sum.cut.found || std::rint((sum.saved - sum.price) / quantum) <= to_beat) return 0;
  decision.split = sum_split(node, sum.cut, standardized, places);
  decision.split->route = search.route(sum.cut);
  return sum.price;
}

Split Oblique::sum_split(const NodeView& node, const SumCut& cut, const StandardizedRows& standardized,
                         std::span<const std::size_t> places) const {
  Split split;
  split.kind = TestKind::hyperplane;
  split.column = node.columns[places[cut.kept[cut.lead]]];
  split.threshold = cut.threshold;
  split.missing = cut.missing_right;
  for (std::size_t j = 0; j < cut.kept.size(); ++j) {
    const std::int32_t column = node.columns[places[cut.kept[j]]];
    if (cut.level_weights[j].empty()) split.terms.push_back({column, 0, cut.weights[j], cut.fillers[j], cut.shares[j]});
    for (std::size_t v = 0; v < cut.level_weights[j].size(); ++v)  // the first has the share of the whole column
      split.terms.push_back({column, standardized.column(cut.kept[j]).levels[v].code, cut.level_weights[j][v], 0.0,
                             v == 0 ? cut.shares[j] : 0.0});
  }
  return split;
}

Split Oblique::axis_split(const NodeView& node, std::int32_t column, const Found& found, Counter& counter) const {
  const bool ordered = node.column(column).ordered();
  const AxisMissing missing = missing_of(found);
  if (missing == AxisMissing::apart) {
    Split split;
    split.kind = ordered ? TestKind::threshold : TestKind::levels, split.column = column;
    split.cut = found.cut, split.levels = found.levels, split.missing = 1;
    if (ordered) split.threshold = std::numeric_limits<double>::infinity();
    return split;
  }
  Split split = ordered ? threshold_split(node, column, found) : level_split(column, found);
  split.missing = missing == AxisMissing::right;
  if (missing != AxisMissing::heavier) return split;
  ColumnCounts counts;
  counter.count(node.rows, column, counts);
  std::int64_t sides[2] = {0, 0};
  for (std::size_t i = 0; i < counts.size(); ++i)
    sides[ordered ? counts.codes[i] > found.cut : found.levels[i].branch] += counts.weight[i];
  split.missing = sides[1] > sides[0];
  return split;
}

}  // namespace tw
