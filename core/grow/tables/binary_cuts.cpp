#include "grow/tables/binary_cuts.hpp"

#include <algorithm>  // for clamp, max, min, sort
#include <cmath>      // for abs, floor, log2
#include <numeric>    // for iota

namespace tw {
namespace {

constexpr double kQuanta = 1099511627776.0;  // 2^40: scores that agree so far are a tie
constexpr std::size_t kEveryGrouping = 10;   // levels; of more, orders by the share of each class are tried

double x_log_x(double x) { return x > 0 ? x * std::log2(x) : 0; }

// How good a set of rows is by itself: weight × (largest impurity − impurity), up to what both sides share.
class Goodness {
 public:
  Goodness(CriterionName criterion, const Sums& all) : criterion_(criterion) {
    middle_ = all.classes.empty() ? all.numbers.mean() : 0;
  }
  double operator()(const Sums& side) const {
    const double n = double(side.weight);
    if (n <= 0) return 0;
    if (side.classes.empty()) {
      const double off = double(side.numbers.first) - middle_ * n;
      return off * off / n;
    }
    double sum = 0;
    if (criterion_ == CriterionName::gini) {
      for (const std::int64_t c : side.classes) sum += double(c) * double(c);
      return sum / n;
    }
    for (const std::int64_t c : side.classes) sum += x_log_x(double(c));
    return sum - x_log_x(n);
  }

 private:
  CriterionName criterion_;
  double middle_;
};

void add(Sums& to, const ColumnCounts& counts, std::size_t i) {
  to.rows += counts.rows[i], to.weight += counts.weight[i];
  for (std::size_t k = 0; k < to.classes.size(); ++k) to.classes[k] += counts.classes[i * to.classes.size() + k];
  if (to.classes.empty()) to.numbers += counts.numbers[i];
}

void add(Sums& to, const Sums& more) {
  to.rows += more.rows, to.weight += more.weight;
  for (std::size_t k = 0; k < to.classes.size(); ++k) to.classes[k] += more.classes[k];
  to.numbers += more.numbers;
}

Sums rest(const Sums& all, const Sums& part) {
  Sums left = all;
  left.rows -= part.rows, left.weight -= part.weight;
  for (std::size_t k = 0; k < left.classes.size(); ++k) left.classes[k] -= part.classes[k];
  left.numbers -= part.numbers;
  return left;
}

// What a branch answers as one number: the mean, or the share of the second class.
double answer_of(const Sums& sums, const Weighing& weighing) {
  if (sums.classes.empty()) return node_mean(sums, weighing);
  return double(sums.classes[1]) / double(sums.weight);
}

// What a split of a column that may only raise or lower the answer has to keep to.
struct Order {
  double way = 0;
  Bounds bounds;
  const Weighing* weighing = nullptr;

  bool allows(const Sums& left, const Sums& right) const {
    if (way == 0) return true;
    const double low = of(left), high = of(right);
    return std::min(low, high) >= bounds.low && std::max(low, high) <= bounds.high && (low - high) * way <= 0;
  }

 private:
  // Tables of counts hold means to fewer digits than nodes; write_tree brings what is stored between the bounds.
  double of(const Sums& side) const {
    return side.classes.empty() ? weighing->value_of_level(side.numbers.mean()) : answer_of(side, *weighing);
  }
};

// Walks through the ways to divide the known rows of a column and keeps the best.
class Search {
 public:
  // `moved`: rows without a value, counted on one side; empty when they take no part.
  Search(const NodeView& node, const ColumnCounts& counts, const Sums& moved, bool moved_left, const Order& order)
      : counts_(counts), kept_to_(order), moved_(moved), moved_left_(moved_left), all_(counts.known),
        goodness_(node.recipe.criterion, counts.known), min_rows_(node.recipe.stop.min_samples_leaf),
        min_weight_(node.recipe.stop.min_weight_leaf / node.weighing.unit) {
    add(all_, moved);
    goodness_ = Goodness(node.recipe.criterion, all_);
    whole_ = goodness_(all_);
    const Sums& sums = node.sums;
    possible_ = sums.classes.empty() ? sums.numbers.spread() : most(node.recipe.criterion, sums);
  }

  void scan(std::span<const std::uint32_t> order) {
    Sums left = start();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      add(left, counts_, order[i]);
      offer(left, i, order);
    }
  }

  void try_every_grouping() {
    const std::size_t n = counts_.size();
    for (std::uint32_t mask = 0; mask + 1 < 1u << (n - 1); ++mask) {  // the first level is always on the left
      Sums left = start();
      order_.assign(1, 0);
      add(left, counts_, 0);
      for (std::uint32_t i = 1; i < n; ++i)
        if (mask >> (i - 1) & 1) add(left, counts_, i), order_.push_back(i);
      const std::size_t last = order_.size() - 1;
      offer(left, last, order_);
    }
  }

  // Takes over what another search found.
  void take(const Search& other) {
    quantum_ = other.quantum_, gain_ = other.gain_, best_left_ = other.best_left_, left_ = other.left_;
  }

  bool found() const { return quantum_ >= 0; }
  std::int64_t quantum() const { return quantum_; }
  double gain() const { return gain_; }
  const Sums& left() const { return best_left_; }
  const std::vector<std::uint32_t>& left_places() const { return left_; }

 private:
  static double most(CriterionName criterion, const Sums& sums) {
    const double n = double(sums.weight);
    if (criterion != CriterionName::gini) return n * std::log2(std::max<double>(2, double(sums.classes.size())));
    return n;
  }
  Sums start() const {
    Sums left;
    left.classes.assign(all_.classes.size(), 0);
    if (moved_left_) add(left, moved_);
    return left;
  }
  void offer(const Sums& left, std::size_t last, std::span<const std::uint32_t> order) {
    const Sums right = rest(all_, left);
    if (left.rows < min_rows_ || right.rows < min_rows_) return;
    if (double(left.weight) < min_weight_ || double(right.weight) < min_weight_) return;
    if (!kept_to_.allows(left, right)) return;
    const double gain = goodness_(left) + goodness_(right) - whole_;
    const auto quantum =
        std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(gain / possible_ * kQuanta + 0.5)));
    if (quantum <= quantum_) return;
    quantum_ = quantum, gain_ = std::max(0.0, gain), best_left_ = left;
    left_.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  }

  const ColumnCounts& counts_;
  const Order kept_to_;
  const Sums& moved_;
  bool moved_left_;
  Sums all_, best_left_;
  Goodness goodness_;
  double min_rows_, min_weight_, whole_ = 0, possible_ = 1, gain_ = 0;
  std::int64_t quantum_ = -1;
  std::vector<std::uint32_t> left_, order_;
};

// The levels by the share of one class, or by their mean.
std::vector<std::uint32_t> by_rate(const ColumnCounts& counts, std::size_t k) {
  std::vector<double> rate(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    rate[i] = counts.n_classes ? double(counts.classes[i * counts.n_classes + k]) / double(counts.weight[i])
                               : counts.numbers[i].mean();
  std::vector<std::uint32_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return rate[a] != rate[b] ? rate[a] < rate[b] : a < b; });
  return order;
}

void search(Search& search, const ColumnCounts& counts, bool ordered) {
  if (ordered) {
    std::vector<std::uint32_t> order(counts.size());
    std::iota(order.begin(), order.end(), 0u);
    return search.scan(order);
  }
  if (counts.n_classes <= 2) return search.scan(by_rate(counts, counts.n_classes == 2));
  if (counts.size() <= kEveryGrouping) return search.try_every_grouping();
  for (std::size_t k = 0; k < counts.n_classes; ++k) search.scan(by_rate(counts, k));
}

double split_information(double a, double b, double n) {
  return (x_log_x(n) - x_log_x(a) - x_log_x(b) - x_log_x(n - a - b)) / n;
}

// How much lower the impurity is, times the node's share of all weight.
double decrease(const NodeView& node, const Found& found) {
  const double unit = node.sums.classes.empty() ? node.weighing.level_unit * node.weighing.level_unit : 1;
  return found.statistic * unit / double(node.root.weight);
}

}  // namespace

BinaryCuts::BinaryCuts(const Recipe& recipe) : by_ratio_(recipe.options.flag("by_ratio")) {
  missing_ = recipe.missing_name == "fractional" ? Missing::spreads
             : recipe.missing_name == "larger"   ? Missing::heavier
                                                 : Missing::left_or_right;
  if (recipe.options.has("monotone")) ways_ = recipe.options.numbers("monotone");
}

void BinaryCuts::look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const {
  if (counts.size() < 2) return;
  const bool ordered = node.column(column).ordered();
  const bool joins = missing_ == Missing::left_or_right && counts.missing.rows > 0;
  Sums none;
  none.classes.assign(counts.n_classes, 0);
  const Order order{ways_.empty() ? 0 : ways_[column], node.bounds, &node.weighing};
  Search best(node, counts, joins ? counts.missing : none, true, order);
  search(best, counts, ordered);
  bool joins_left = true;
  if (joins) {
    Search other(node, counts, counts.missing, false, order);
    search(other, counts, ordered);
    if (other.quantum() > best.quantum()) best.take(other), joins_left = false;
  }
  if (!best.found()) return;
  const double n = double(node.sums.weight), left = double(best.left().weight);
  const double right = joins ? n - left : double(counts.known.weight) - left;
  found.usable = true;
  found.gain = double(best.quantum());
  found.statistic = best.gain();
  found.score = by_ratio_ ? best.gain() / n / std::max(1e-12, split_information(left, right, n)) : found.gain;
  found.missing = missing_ == Missing::spreads ? kMissingSpreads : joins ? !joins_left : right > left;
  const std::vector<std::uint32_t>& places = best.left_places();
  if (ordered) {
    found.cut = counts.codes[places.back()], found.next = counts.codes[places.back() + 1];
    return;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) found.levels.push_back({counts.codes[i], 1});
  for (const std::uint32_t place : places) found.levels[place].branch = 0;
}

Bounds BinaryCuts::bounds_of(const NodeView& node, const Split& split, std::span<const Sums> branches,
                             std::size_t branch) const {
  Bounds bounds = node.bounds;
  const double way = ways_.empty() ? 0 : ways_[split.column];
  if (way == 0) return bounds;
  const double first = answer_of(branches[0], node.weighing), second = answer_of(branches[1], node.weighing);
  const double middle = std::clamp(first / 2 + second / 2, bounds.low, bounds.high);
  (branch == (way > 0 ? 1u : 0u) ? bounds.low : bounds.high) = middle;
  return bounds;
}

Decision BinaryCuts::choose(const NodeView& node, std::span<Found> found, Counter& /*counter*/) const {
  double sum = 0;
  int usable = 0;
  for (const Found& f : found)
    if (f.usable) sum += f.gain, ++usable;
  const double least = by_ratio_ && usable > 0 ? sum / usable * (1 - 1e-9) : 0;
  const Found* best = nullptr;
  std::int32_t column = -1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Found& f = found[i];
    if (!f.usable || f.gain < least) continue;
    if (!best || f.score > best->score * (1 + 1e-12)) best = &f, column = node.columns[i];
  }
  Decision decision;
  if (!best || decrease(node, *best) < node.recipe.stop.min_impurity_decrease) return decision;
  Split split = node.column(column).ordered() ? threshold_split(node, column, *best) : level_split(column, *best);
  split.missing = best->missing;
  decision.split = std::move(split);
  return decision;
}

}  // namespace tw
