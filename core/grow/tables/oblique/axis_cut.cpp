#include "grow/tables/oblique/axis_cut.hpp"

#include <algorithm>  // for max, stable_sort, min
#include <bit>        // for popcount
#include <cmath>      // for log2
#include <numeric>    // for iota

namespace tw {

namespace {

constexpr std::size_t kManyLevels = 50;

// Moves the i-th code, or the rows without a value, from one side to the other.
struct ClassMover {
  const ColumnCounts& counts;
  void code(ClassSides& sides, std::size_t i) const { sides.move(counts.classes_of(i)); }
  void missing(ClassSides& sides) const { sides.move(std::span<const std::int64_t>(counts.missing.classes)); }
};
struct NumberMover {
  const ColumnCounts& counts;
  void code(NumberSides& sides, std::size_t i) const { sides.move(counts.numbers[i]); }
  void missing(NumberSides& sides) const { sides.move(counts.missing.numbers); }
};

// Cuts of the codes in some order (empty: as they come). The first of equal cuts is kept, missing left before right.
template <class Sides, class Mover>
class AxisScan {
 public:
  AxisScan(Sides sides, Mover mover, const ColumnCounts& counts, const AxisRules& rules)
      : with_missing_(sides), without_(std::move(sides)), mover_(mover), counts_(counts), rules_(rules),
        tries_missing_(rules.learns && counts.missing.rows > 0),
        n_rows_(std::int64_t(counts.known.rows) + (tries_missing_ ? counts.missing.rows : 0)) {}

  void scan(std::vector<std::uint32_t> order) {
    const double before = best_;
    std::int64_t n_left = 0;
    without_.clear();
    with_missing_.clear();
    if (tries_missing_) mover_.missing(with_missing_);
    for (std::size_t place = 0; place + 1 < counts_.size(); ++place) {
      const std::size_t code = order.empty() ? place : order[place];
      n_left += counts_.rows[code];
      if (tries_missing_) {
        mover_.code(with_missing_, code);
        keep(with_missing_, n_left + counts_.missing.rows, place, AxisMissing::left);
      }
      mover_.code(without_, code);
      keep(without_, n_left, place, tries_missing_ ? AxisMissing::right : AxisMissing::heavier);
    }
    if (best_ > before) order_ = std::move(order);
  }

  // Known rows against the others.
  void scan_known() {
    if (!tries_missing_ || counts_.size() == 0) return;
    without_.clear();
    for (std::size_t i = 0; i < counts_.size(); ++i) mover_.code(without_, i);
    keep(without_, counts_.known.rows, counts_.size(), AxisMissing::apart);
  }

  AxisCut result(bool nominal) const {
    AxisCut cut;
    if (best_ < 0) return cut;
    cut.found = true, cut.saved = without_.bits_of(best_), cut.missing = missing_;
    const bool apart = missing_ == AxisMissing::apart;
    if (!nominal) {
      cut.cut = apart ? counts_.codes.back() : counts_.codes[place_];
      cut.next = apart ? cut.cut : counts_.codes[place_ + 1];
      return cut;
    }
    std::vector<std::uint16_t> branch(counts_.size(), apart ? 0 : 1);
    for (std::size_t i = 0; !apart && i <= place_; ++i) branch[order_[i]] = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) cut.levels.push_back({counts_.codes[i], branch[i]});
    return cut;
  }

 private:
  void keep(const Sides& sides, std::int64_t n_left, std::size_t place, AxisMissing missing) {
    if (n_left < rules_.min_leaf || n_rows_ - n_left < rules_.min_leaf) return;
    if (const double merit = sides.merit(); merit > best_) best_ = merit, place_ = place, missing_ = missing;
  }

  Sides with_missing_, without_;  // two cuts that wander together: rows without a value on the left, and not
  Mover mover_;
  const ColumnCounts& counts_;
  const AxisRules& rules_;
  bool tries_missing_;
  std::int64_t n_rows_;  // that the search sees
  double best_ = -1;
  std::size_t place_ = 0;
  AxisMissing missing_ = AxisMissing::heavier;
  std::vector<std::uint32_t> order_;
};

// Places of the codes, ascending by a key; equals by code.
template <class Key>
std::vector<std::uint32_t> order_by(std::size_t n, Key key) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::vector<double> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = key(i);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  return order;
}

template <class Scan>
AxisCut scan_ordered(Scan scan) {
  scan.scan({});
  scan.scan_known();
  return scan.result(false);
}

template <class Scan>
AxisCut scan_levels(Scan scan, const NodeView& node, const ColumnCounts& counts) {
  const std::uint32_t K = counts.n_classes;
  if (K == 0) scan.scan(order_by(counts.size(), [&](std::size_t i) { return counts.numbers[i].mean(); }));
  for (std::uint32_t k = K == 2 ? 1 : 0; k < K; ++k)  // by the share of each class; with two classes one order is all
    if (node.sums.classes[k] > 0)
      scan.scan(order_by(counts.size(),
                         [&](std::size_t i) { return double(counts.classes_of(i)[k]) / double(counts.weight[i]); }));
  scan.scan_known();
  return scan.result(true);
}

}  // namespace

AxisCut find_axis_cut(const NodeView& node, std::int32_t column, const ColumnCounts& counts, const AxisRules& rules) {
  const Sums& all = rules.learns ? node.sums : counts.known;
  const bool ordered = node.column(column).ordered();
  if (counts.n_classes) {
    AxisScan scan(ClassSides(rules.logs, all.classes), ClassMover{counts}, counts, rules);
    return ordered ? scan_ordered(std::move(scan)) : scan_levels(std::move(scan), node, counts);
  }
  AxisScan scan(NumberSides(all.numbers), NumberMover{counts}, counts, rules);
  return ordered ? scan_ordered(std::move(scan)) : scan_levels(std::move(scan), node, counts);
}

double axis_price(bool nominal, std::size_t n_codes, bool missing_is_learnt) {
  const double n = double(n_codes);
  double bits = std::log2(std::max(n - 1, 1.0));
  if (nominal) bits = n_codes > kManyLevels ? n - 1 : std::log2(std::max(std::exp2(n - 1) - 1, 1.0));
  return bits + (missing_is_learnt ? 1 : 0);
}

namespace {

constexpr std::size_t kStride = 32;
constexpr double kRoundings = 6;  // of logarithms in one merit, each half a step off at most; twice

// Bits that are saved when so many rows of each class go left. The same number as ClassSides::merit.
class TwoClasses {
 public:
  TwoClasses(const Logarithms& logs, std::span<const std::int64_t> classes)
      : logs_(logs), first_(classes[0]), second_(classes[1]),
        most_(logs(first_ + second_) - (logs(first_) + logs(second_))) {}

  double merit(std::int64_t first, std::int64_t second) const {
    const double left = logs_(first + second) - (logs_(first) + logs_(second));
    const std::int64_t a = first_ - first, b = second_ - second;
    const double saved = most_ - left - (logs_(a + b) - (logs_(a) + logs_(b)));
    return saved > 0 ? saved : 0;
  }

 private:
  const Logarithms& logs_;
  std::int64_t first_, second_;
  double most_;
};

// 32 rows in the order of the column: bit j tells of row j whether it is of the second class, and whether the next row
// has another code, so that the column may be cut there.
struct Stride {
  std::uint32_t second, cuts;
};

Stride read_stride(const std::uint64_t* list, std::size_t n, bool is_last, const std::uint32_t* second) {
  Stride stride{0, 0};
  for (std::size_t j = 0; j < n; ++j) {
    const auto row = static_cast<std::uint32_t>(list[j]);
    stride.second |= (second[row >> 5] >> (row & 31) & 1) << j;
    if (!is_last || j + 1 < n) stride.cuts |= std::uint32_t(list[j] >> 32 != list[j + 1] >> 32) << j;
  }
  return stride;
}

class ListScan {
 public:
  ListScan(std::span<const std::uint64_t> list, std::span<const std::int64_t> classes, const AxisRules& rules)
      : list_(list), sides_(rules.logs, classes), slack_(kRoundings * rules.logs.step()),
        first_cut_(static_cast<std::size_t>(std::max<std::int64_t>(rules.min_leaf, 1))),
        last_cut_(list.size() >= first_cut_ ? list.size() - first_cut_ : 0), strides_(scratch().strides),
        edges_(scratch().edges) {}

  ListCut find(const std::uint32_t* second) {
    ListCut found;
    found.n_codes = 1 + read(second);
    look_into();
    if (best_ < 0) return found;
    found.cut.found = true, found.cut.saved = best_;
    found.cut.cut = static_cast<std::uint32_t>(list_[best_end_ - 1] >> 32);
    found.cut.next = static_cast<std::uint32_t>(list_[best_end_] >> 32);
    return found;
  }

 private:
  struct Scratch {
    std::vector<Stride> strides;
    std::vector<double> edges;
  };
  static Scratch& scratch() {
    static thread_local Scratch own;
    return own;
  }

  bool allowed(std::size_t end) const { return end >= first_cut_ && end <= last_cut_; }

  // Reads the list, notes the merit at the end of every stride, and counts the places where it may be cut.
  std::size_t read(const std::uint32_t* second) {
    const std::size_t n = list_.size();
    strides_.clear(), edges_.assign(1, 0.0);
    std::size_t n_cuts = 0;
    std::int64_t seconds = 0;
    for (std::size_t begin = 0; begin < n; begin += kStride) {
      const std::size_t end = std::min(begin + kStride, n);
      const Stride stride = read_stride(list_.data() + begin, end - begin, end == n, second);
      n_cuts += static_cast<std::size_t>(std::popcount(stride.cuts));
      seconds += std::popcount(stride.second);
      strides_.push_back(stride);
      edges_.push_back(sides_.merit(std::int64_t(end) - seconds, seconds));
      if (allowed(end) && (stride.cuts >> (end - begin - 1) & 1)) at_least_ = std::max(at_least_, edges_.back());
    }
    return n_cuts;
  }

  // The first of the best cuts.
  void look_into() {
    std::int64_t seconds = 0;
    for (std::size_t s = 0; s < strides_.size(); ++s) {
      const std::size_t begin = s * kStride, n = std::min(kStride, list_.size() - begin);
      const std::int64_t more = std::popcount(strides_[s].second), firsts = std::int64_t(begin) - seconds;
      double most = std::max(edges_[s], edges_[s + 1]) + slack_;
      if (most < at_least_ || most <= best_)
        most = slack_ +
               std::max(sides_.merit(firsts + std::int64_t(n) - more, seconds), sides_.merit(firsts, seconds + more));
      if (most >= at_least_ && most > best_) scan(begin, strides_[s], firsts, seconds);
      seconds += more;
    }
  }

  void scan(std::size_t begin, Stride stride, std::int64_t firsts, std::int64_t seconds) {
    for (; stride.cuts; stride.cuts >>= 1, stride.second >>= 1) {
      ++begin, seconds += stride.second & 1, firsts += !(stride.second & 1);
      if (!(stride.cuts & 1) || !allowed(begin)) continue;
      if (const double merit = sides_.merit(firsts, seconds); merit > best_) best_ = merit, best_end_ = begin;
    }
  }

  std::span<const std::uint64_t> list_;
  TwoClasses sides_;
  double slack_, at_least_ = 0, best_ = -1;
  std::size_t first_cut_, last_cut_;  // rows on the left, at least and at most
  std::size_t best_end_ = 0;
  std::vector<Stride>& strides_;
  std::vector<double>& edges_;  // merit at the beginning of each stride, and at the end of the last
};

}  // namespace

ListCut find_list_cut(std::span<const std::uint64_t> list, std::span<const std::int64_t> classes,
                      std::span<const std::uint32_t> second, const AxisRules& rules) {
  return ListScan(list, classes, rules).find(second.data());
}

}  // namespace tw
