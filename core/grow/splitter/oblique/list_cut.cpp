#include "grow/splitter/oblique/list_cut.hpp"

#include <algorithm>  // for max, min
#include <bit>        // for popcount

namespace tw {
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
