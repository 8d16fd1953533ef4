#include "grow/splitter/oblique/oblique.hpp"

#include <algorithm>  // for max, min, sort, stable_sort
#include <bit>        // for bit_width
#include <cmath>      // for ceil, floor, log2, rint
#include <limits>     // for numeric_limits

#include "grow/splitter/oblique/sum_search.hpp"

namespace tw {
namespace {

constexpr double kQuanta = 1099511627776.0;  // 2^40
constexpr int kCloudWeightBits = 12;
constexpr double kMostMissing = 0.3;  // a column with a larger share of holes takes part in no sum
constexpr double kFewestRows = 20, kRowsPerColumn = 10;

// What `look` leaves for `choose`, in the numbers of Found: gain and score are in bits, their difference is the price.
double mean_of(const Found& found) { return found.statistic; }
double deviation_of(const Found& found) { return found.degrees; }
double missing_share(const Found& found) { return found.log_p; }
AxisMissing missing_of(const Found& found) { return static_cast<AxisMissing>(static_cast<int>(found.log_p_adjusted)); }

// Mean and standard deviation of the known values, added up from the smallest value to the largest.
void set_moments(const RankedColumn& column, const ColumnCounts& counts, Found& found) {
  const double total = double(counts.known.weight);
  double mean = 0, farthest = 0, squares = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    mean += column.value_of(counts.codes[i]) * (double(counts.weight[i]) / total);
  for (const std::uint32_t code : {counts.codes.front(), counts.codes.back()})
    farthest = std::max(farthest, std::abs(column.value_of(code) - mean));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double away = (column.value_of(counts.codes[i]) - mean) / farthest;
    squares += away * away * (double(counts.weight[i]) / total);
  }
  found.statistic = mean;
  found.degrees = farthest * std::sqrt(squares);
}

}  // namespace

Oblique::Oblique(const Recipe& recipe)
    : min_leaf_weight_(double(recipe.stop.min_samples_leaf)), max_terms_(recipe.options.number("max_terms")),
      penalty_(recipe.options.number("penalty")), ridge_(recipe.options.number("ridge")),
      may_add_(recipe.options.numbers("may_add")), learns_(recipe.missing_name == "learn") {}

void Oblique::prepare(const NodeView& root) {
  logs_ = Logarithms(root.sums.weight);
  min_leaf_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(min_leaf_weight_ / root.weighing.unit - 1e-9)));
  std::int64_t heaviest = 1;
  for (const std::uint32_t row : root.rows.rows) heaviest = std::max(heaviest, root.weighing.weight_of(row));
  weight_drop_ = std::max(0, static_cast<int>(std::bit_width(std::uint64_t(heaviest))) - kCloudWeightBits);
}

void Oblique::look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const {
  const bool has_missing = counts.missing.weight > 0;
  found.constant = counts.size() + (has_missing && learns_) < 2;
  found.log_p = double(counts.missing.weight) / double(node.sums.weight);
  if (may_add_[column] && counts.size() > 1) set_moments(node.column(column), counts, found);
  AxisCut cut = find_axis_cut(node, column, counts, {logs_, min_leaf_, learns_});
  if (!cut.found) return;
  found.usable = true;
  found.gain = cut.saved * node.weighing.unit;
  found.score = found.gain - axis_price(!node.column(column).ordered(), counts.size(), has_missing && learns_);
  found.cut = cut.cut, found.next = cut.next, found.levels = std::move(cut.levels);
  found.log_p_adjusted = static_cast<double>(cut.missing);
}

bool Oblique::is_usable(std::int32_t column, const Found& found) const {
  return may_add_[column] != 0 && deviation_of(found) > 0 && std::isfinite(deviation_of(found)) &&
         missing_share(found) <= kMostMissing;
}

std::vector<std::size_t> Oblique::columns_of_sums(std::span<const Found> found, std::vector<std::size_t> usable,
                                                  double weight, double quantum) const {
  auto rank = [&](std::size_t i) { return found[i].usable ? std::rint(found[i].score / quantum) : -INFINITY; };
  const double n = std::min({double(usable.size()), std::max(2.0, std::floor(weight / kRowsPerColumn)), max_terms_});
  if (n < 2) return {};
  std::stable_sort(usable.begin(), usable.end(), [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  usable.resize(static_cast<std::size_t>(n));
  std::sort(usable.begin(), usable.end());
  return usable;
}

Cloud Oblique::make_cloud(const NodeView& node, std::span<const Found> found,
                          std::span<const std::size_t> places) const {
  std::vector<CloudColumn> columns;
  for (const std::size_t place : places) {
    const RankedColumn& from = node.column(node.columns[place]);
    CloudColumn column{std::vector<double>(node.rows.size()), mean_of(found[place]), deviation_of(found[place])};
    from.visit_codes([&](const auto* codes) {
      for (std::size_t i = 0; i < column.values.size(); ++i) {
        const std::uint32_t code = codes[node.rows.rows[i]];
        column.values[i] = code ? from.value_of(code) : std::numeric_limits<double>::quiet_NaN();
      }
    });
    columns.push_back(std::move(column));
  }
  std::vector<double> weights;
  if (!node.weighing.target->unit_weights())
    for (const std::uint32_t row : node.rows.rows)
      weights.push_back(std::rint(std::ldexp(double(node.weighing.weight_of(row)), -weight_drop_)));
  return Cloud(std::move(columns), node.rows.size(), std::move(weights), std::ldexp(node.weighing.unit, weight_drop_));
}

Decision Oblique::choose(const NodeView& node, std::span<Found> found, Counter& counter) const {
  const double weight = node.weight(node.sums.weight);
  const bool classes = !node.sums.classes.empty();
  const double most = classes ? node_impurity(CriterionName::entropy, node.sums, node.weighing) * weight : 20 * weight;
  const double quantum = most / kQuanta;
  std::size_t best = found.size();
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (is_usable(node.columns[i], found[i])) usable.push_back(i);
    if (!found[i].usable) continue;
    if (best == found.size() || std::rint(found[i].score / quantum) > std::rint(found[best].score / quantum)) best = i;
  }
  Decision decision;
  double price = best < found.size() ? found[best].gain - found[best].score : 0;
  const std::vector<std::size_t> places =
      weight >= kFewestRows ? columns_of_sums(found, usable, weight, quantum) : std::vector<std::size_t>();
  if (!places.empty()) {
    const Cloud cloud = make_cloud(node, found, places);
    const double per_term = penalty_ * (std::log2(weight) / 2 + std::log2(double(usable.size())));
    SumSearch search(node, cloud, logs_, {ridge_, per_term, quantum, min_leaf_});
    const PricedSum sum = search.best();
    const double score = sum.saved - sum.price;
    if (sum.cut.found &&
        (best == found.size() || std::rint(score / quantum) > std::rint(found[best].score / quantum))) {
      price = sum.price;
      decision.split = sum_split(node, sum.cut, places);
      decision.split->route = search.route(sum.cut);
    }
  }
  if (!decision.split && best < found.size())
    decision.split = axis_split(node, node.columns[best], found[best], counter);
  if (decision.split) {
    const double own = classes ? 0 : std::log2(weight) / 2;  // of the mean that the new leaf adds
    decision.extras = {price + std::log2(double(node.table.columns.size())) + 1 + own};
  }
  return decision;
}

Split Oblique::sum_split(const NodeView& node, const SumCut& cut, std::span<const std::size_t> places) const {
  Split split;
  split.kind = TestKind::hyperplane;
  split.column = node.columns[places[cut.kept[cut.lead]]];
  split.threshold = cut.threshold;
  split.missing = cut.missing_right;
  for (std::size_t j = 0; j < cut.kept.size(); ++j)
    split.terms.push_back({node.columns[places[cut.kept[j]]], 0, cut.weights[j], cut.fillers[j], cut.shares[j]});
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
