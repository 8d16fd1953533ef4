#include "grow/tables/conditional/best_cut.hpp"

#include <algorithm>  // for max, sort
#include <numeric>    // for iota

namespace tw {
namespace {

// Every set of levels is tried while levels and classes are few: at most so many sums are looked at.
constexpr double kMostSums = 4194304;

// The left side while cuts are gone through.
class Side {
 public:
  Side(const Deviations& column, StatisticKind kind, double least)
      : column_(column), kind_(kind), least_(least), d_(column.parts, 0) {}

  void clear() {
    weight_ = 0;
    std::fill(d_.begin(), d_.end(), 0.0);
  }
  void move(std::size_t value, double sign) {
    weight_ += sign * column_.weight[value];
    const double* d = column_.of(value);
    for (std::size_t k = 0; k < column_.parts; ++k) d_[k] += sign * d[k];
  }
  bool is_admissible() const { return weight_ >= least_ && column_.total - weight_ >= least_; }

  // The statistic as a share of n − 1.
  double share() const {
    double sum = 0;
    if (kind_ == StatisticKind::quadratic)
      for (std::size_t k = 0; k < column_.parts; ++k) sum += column_.inverse[k] * d_[k] * d_[k];
    else
      for (std::size_t k = 0; k < column_.parts; ++k)
        if (column_.spread[k] > 0) sum = std::max(sum, d_[k] * d_[k] / column_.spread[k]);
    return sum / (weight_ * (column_.total - weight_));
  }
  double steps() const { return in_steps(share()); }

 private:
  const Deviations& column_;
  StatisticKind kind_;
  double least_;
  double weight_ = 0;
  std::vector<double> d_;
};

// Whether the set `a` comes before `b` when both are read as binary numbers, the last level first.
bool comes_before(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

void take_if_better(Cut& best, double steps, std::vector<std::uint8_t> branch) {
  if (branch[0])
    for (auto& side : branch) side ^= 1;  // the first level stays left
  if (steps <= 0 || steps < best.steps) return;
  if (best.found && steps == best.steps && !comes_before(branch, best.branch)) return;
  best.found = true, best.steps = steps, best.branch = std::move(branch);
}

// Every set, counted up in binary; a step changes two levels on average.
Cut try_all_sets(const Deviations& column, StatisticKind kind, double least) {
  Side side(column, kind, least);
  for (std::size_t i = 0; i < column.size; ++i) side.move(i, 1);
  double best = 0, best_share = 0;
  std::uint64_t best_set = 0;
  for (std::uint64_t set = 1; set < std::uint64_t(1) << (column.size - 1); ++set) {
    const std::uint64_t changed = set ^ (set - 1);
    for (std::size_t bit = 0; changed >> bit; ++bit) side.move(bit + 1, set >> bit & 1 ? -1 : 1);
    if (!side.is_admissible()) continue;
    const double share = side.share();
    if (share <= best_share || in_steps(share) <= best) continue;
    best = in_steps(share), best_share = share, best_set = set;
  }
  Cut cut{best > 0, best, 0, std::vector<std::uint8_t>(column.size, 0)};
  for (std::size_t i = 1; i < column.size; ++i) cut.branch[i] = best_set >> (i - 1) & 1;
  return cut;
}

// The sets that are a beginning of an order. With `admissible_only` false the size rule is not asked.
void try_order(const Deviations& column, const std::vector<std::uint32_t>& order, Side& side, bool admissible_only,
               Cut& best) {
  std::vector<std::uint8_t> branch(column.size, 1);
  side.clear();
  for (std::size_t i = 0; i + 1 < column.size; ++i) {
    side.move(order[i], 1);
    branch[order[i]] = 0;
    if (!admissible_only || side.is_admissible()) take_if_better(best, side.steps(), branch);
  }
}

std::vector<std::uint32_t> order_by_part(const Deviations& column, std::size_t k) {
  std::vector<std::uint32_t> order(column.size);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) {
    return column.of(x)[k] * column.weight[y] < column.of(y)[k] * column.weight[x];
  });
  return order;
}

double side_weight(const Deviations& column, const Cut& cut) {
  double left = 0;
  for (std::size_t i = 0; i < column.size; ++i) left += cut.branch[i] ? 0 : column.weight[i];
  return left;
}

}  // namespace

Cut cut_ordered(const Deviations& column, StatisticKind kind, double least, bool last_is_missing) {
  Cut best;
  const std::size_t values = column.size - last_is_missing;
  for (int missing_right = 0; missing_right <= int(last_is_missing); ++missing_right) {
    Side side(column, kind, least);
    if (last_is_missing && !missing_right) side.move(values, 1);
    for (std::size_t i = 0; i + 1 < values; ++i) {
      side.move(i, 1);
      if (!side.is_admissible()) continue;
      const double steps = side.steps();
      if (steps < best.steps || steps <= 0 || (steps == best.steps && best.place <= i + 1)) continue;
      best.found = true, best.steps = steps, best.place = i + 1;
      best.branch.assign(1, static_cast<std::uint8_t>(missing_right));
    }
  }
  return best;
}

// One part (numbers, two classes, a scale): the best division keeps the order of the means, whatever the number of
// levels, unless the size rule forbids that one. Else every set, or the beginnings of a few good orders.
Cut cut_levels(const Deviations& column, StatisticKind kind, double least) {
  Side side(column, kind, least);
  if (column.parts == 1) {
    Cut best;
    try_order(column, order_by_part(column, 0), side, false, best);
    if (!best.found) return best;
    const double left = side_weight(column, best);
    if (left >= least && column.total - left >= least) return best;
  }
  if (column.size < 40 && double(std::uint64_t(1) << (column.size - 1)) * double(column.parts) <= kMostSums)
    return try_all_sets(column, kind, least);
  Cut best;
  for (std::size_t k = 0; k < column.parts; ++k) try_order(column, order_by_part(column, k), side, true, best);
  return best;
}

}  // namespace tw
