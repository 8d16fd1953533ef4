#include "grow/boost/group_scan.hpp"

#include <algorithm>  // for max, min
#include <cmath>      // for abs
#include <cstring>    // for memcpy
#include <limits>     // for numeric_limits

#include "base/vectors.hpp"

namespace tw {
namespace {

typedef std::uint64_t Words __attribute__((vector_size(32)));
typedef std::int32_t Ints __attribute__((vector_size(32)));
typedef float Floats __attribute__((vector_size(32)));

// Lanes of eight: columns 0 and 1 of the smaller node, of the larger one, then columns 2 and 3 of both.
constexpr int node_of(int lane) { return lane >> 1 & 1; }
constexpr int column_of(int lane) { return (lane & 1) + (lane >> 2) * 2; }

constexpr std::uint32_t kBlock = 4;  // bins between two questions whether a cut has passed
constexpr float kNever = std::numeric_limits<float>::infinity();
constexpr std::int64_t kNoRows = std::numeric_limits<std::int32_t>::max();

// What all cuts of a group are compared with.
struct Bars {
  Floats ratio, l2, least, times, error;
  Ints hessian, below_rows, above_rows;
  Ints low_mask, row_mask;
  int row_bits = 0, high_shift = 0;

  void set_node(int node, const ScannedNode* at);
  void set_bar(int node, const ScannedNode& at, double bar);
  void set_lanes(int node, const ScannedNode* at, std::size_t group);

 private:
  double without[2] = {0, 0}, per_hessian[2] = {0, 0};  // G²/P and 1/P
  float least_of_node[2] = {kNever, kNever};
  std::int64_t least_rows_of_node[2] = {kNoRows, kNoRows};
};

void put_lanes(Floats& to, int node, float x) {
  for (int lane = 0; lane < 8; ++lane)
    if (node_of(lane) == node) to[lane] = x;
}
void put_lanes(Ints& to, int node, std::int64_t x) {
  for (int lane = 0; lane < 8; ++lane)
    if (node_of(lane) == node) to[lane] = static_cast<std::int32_t>(x);
}

// A float is off by 2^-24 of itself, and e by some such parts of what it is the difference of: of |G| at most, and of
// |e| + |G|. (|e| + off)² is at most e²·(1 + 2^-10) + off²·(1 + 2^10).
constexpr double kOff = 0x1p-21, kTimesOff = 1025, kSlack = 0x1p-9;
constexpr double kLargest = 0x1p60;  // of l2: beyond it products are no floats any more, and every cut passes

void Bars::set_node(int node, const ScannedNode* at) {
  static const ScannedNode kNone;
  const ScannedNode& of = at ? *at : kNone;
  const double h = static_cast<double>(of.whole.hessian), g = static_cast<double>(of.whole.gradient);
  const double both = h + 2 * of.l2, off = kOff * std::abs(g);
  const double product = (of.least + of.l2) * (h - of.least + of.l2);
  per_hessian[node] = both > 0 ? 1 / both : 0;
  without[node] = g * g * per_hessian[node];
  put_lanes(ratio, node, static_cast<float>(g * per_hessian[node]));
  put_lanes(l2, node, static_cast<float>(of.l2));
  put_lanes(error, node, static_cast<float>(off * off * kTimesOff));
  put_lanes(hessian, node, of.whole.hessian);
  put_lanes(below_rows, node, at ? of.least_rows - 1 : kNoRows);
  put_lanes(above_rows, node, of.whole.rows - of.least_rows + 1);
  least_rows_of_node[node] = of.least_rows - 1;
  least_of_node[node] = at ? static_cast<float>(product * (1 - kSlack)) : kNever;
  put_lanes(least, node, least_of_node[node]);
  put_lanes(times, node, 0);
}

void Bars::set_bar(int node, const ScannedNode& at, double bar) {
  const double more = (bar - without[node]) * per_hessian[node];
  const bool any = !(more > 0) || at.l2 > kLargest;
  put_lanes(times, node, any ? -1.0f : static_cast<float>(more * (1 - kSlack)));
}

void Bars::set_lanes(int node, const ScannedNode* at, std::size_t group) {
  if (!at) return;
  for (int lane = 0; lane < 8; ++lane)
    if (node_of(lane) == node) {
      const bool looked = at->lanes[group] >> column_of(lane) & 1;
      least[lane] = looked ? least_of_node[node] : kNever;
      below_rows[lane] = static_cast<std::int32_t>(looked ? least_rows_of_node[node] : kNoRows);
    }
}

// The lower and the upper halves of the words of both nodes. (Of floats, since for those it is one instruction.)
TW_INLINE_LOOP inline void take_lower(const Words& a, const Words& b, Ints& lower) {
  const auto x = reinterpret_cast<Floats>(a), y = reinterpret_cast<Floats>(b);
  lower = reinterpret_cast<Ints>(__builtin_shufflevector(x, y, 0, 2, 8, 10, 4, 6, 12, 14));
}
TW_INLINE_LOOP inline void take_upper(const Words& a, const Words& b, Ints& upper) {
  const auto x = reinterpret_cast<Floats>(a), y = reinterpret_cast<Floats>(b);
  upper = reinterpret_cast<Ints>(__builtin_shufflevector(x, y, 1, 3, 9, 11, 5, 7, 13, 15));
}

// Lanes whose cut passes are all ones. (Vectors are given and taken by reference: how they are passed depends on what
// the compiler knows of the processor.)
template <bool kCounted>
TW_INLINE_LOOP inline void find_passing(const Words& a, const Words& b, const Bars& bars, Ints& passing) {
  Ints lower, g, h;
  take_lower(a, b, lower);
  take_upper(a, b, g);
  if constexpr (kCounted) {
    take_lower(a >> bars.row_bits, b >> bars.row_bits, h);
    h &= bars.low_mask, g >>= bars.high_shift;
  } else {
    h = lower;
  }
  const Floats left = __builtin_convertvector(h, Floats) + bars.l2;
  const Floats right = __builtin_convertvector(bars.hessian - h, Floats) + bars.l2;
  const Floats e = __builtin_convertvector(g, Floats) - left * bars.ratio, product = left * right;
  passing = e * e + bars.error > bars.times * product;
  if constexpr (kCounted) {
    const Ints rows = lower & bars.row_mask;
    passing &= (rows > bars.below_rows) & (bars.above_rows > rows);
  } else {
    passing &= product >= bars.least;
  }
}

TW_INLINE_LOOP inline bool is_any(const Ints& passing) {
  const auto pairs = reinterpret_cast<Words>(passing);
  return ((pairs[0] | pairs[1]) | (pairs[2] | pairs[3])) != 0;
}

// One walk along the bins of a group.
struct Walk {
  const PackedWord* smaller;
  PackedWord* larger;  // null: one node
  std::uint32_t n_bins;
  bool missing_second;
  std::size_t group;
};

// What a block of bins has: the sums before it, and the cuts that pass.
struct Found {
  Words before[2];
  Ints passing[kBlock];
};

class GroupScan {
 public:
  GroupScan(const BinnedTable& table, const WordLayout& layout, const ScannedPair& pair, CutJudge& judge)
      : table_(table), layout_(layout), pair_(pair), judge_(judge) {
    for (int node = 0; node < 2; ++node) bars_.set_node(node, pair.node[node]);
    bars_.row_bits = layout.row_bits, bars_.high_shift = layout.gradient_at - 32;
    bars_.low_mask = Ints{} + static_cast<std::int32_t>(layout.largest_hessian());
    bars_.row_mask = Ints{} + static_cast<std::int32_t>(layout.largest_rows());
  }

  // From bin 1 on; the sums of what stands before it are given. kSubtract: larger is still the parent.
  template <bool kCounted, bool kSubtract>
  TW_INLINE_LOOP void walk(const Walk& at, const Words& before_small, const Words& before_large) {
    Words small = before_small, large = before_large;
    std::uint32_t bin = 1;
    for (; bin + kBlock <= at.n_bins; bin += kBlock) look<kCounted, kSubtract, kBlock>(at, bin, small, large);
    for (; bin < at.n_bins; ++bin) look<kCounted, kSubtract, 1>(at, bin, small, large);
  }

  template <bool kCounted>
  TW_INLINE_LOOP void scan(std::size_t number) {
    const ColumnGroup& group = table_.groups[number];
    Walk at{pair_.smaller + group.at, pair_.larger ? pair_.larger + group.at : nullptr, group.n_bins, false, number};
    start(at);
    Words small, large = {};
    std::memcpy(&small, at.smaller, sizeof small);
    if (at.larger) {
      std::memcpy(&large, at.larger, sizeof large);
      large -= small;
      std::memcpy(at.larger, &large, sizeof large);
      walk<kCounted, true>(at, small, large);
    } else {
      walk<kCounted, false>(at, small, large);
    }
    if (!is_any(reinterpret_cast<Ints>(small | large))) return;  // no value is missing
    at.missing_second = true;
    start(at);
    const Words none = {};
    walk<kCounted, false>(at, none, none);
  }

 private:
  // The next kCount bins.
  template <bool kCounted, bool kSubtract, std::uint32_t kCount>
  TW_INLINE_LOOP void look(const Walk& at, std::uint32_t bin, Words& small, Words& large) {
    const Words before_small = small, before_large = large;
    Ints passing[kCount], any = {};
    for (std::uint32_t i = 0; i < kCount; ++i) {
      step<kCounted, kSubtract>(at, bin + i, small, large, passing[i]);
      any |= passing[i];
    }
    if (__builtin_expect(!is_any(any), 1)) return;
    Found found{{before_small, before_large}, {}};
    for (std::uint32_t i = 0; i < kCount; ++i) found.passing[i] = passing[i];
    take(at, bin, kCount, found);
  }

  template <bool kCounted, bool kSubtract>
  TW_INLINE_LOOP void step(const Walk& at, std::uint32_t bin, Words& small, Words& large, Ints& passing) {
    Words x, y = {};
    std::memcpy(&x, at.smaller + bin * kTogether, sizeof x);
    if (at.larger) {
      std::memcpy(&y, at.larger + bin * kTogether, sizeof y);
      if (kSubtract) {
        y -= x;
        std::memcpy(at.larger + bin * kTogether, &y, sizeof y);
      }
    }
    small += x, large += y;
    find_passing<kCounted>(small, large, bars_, passing);
  }

  void start(const Walk& at) {
    for (int node = 0; node < 2; ++node) {
      if (!pair_.node[node]) continue;
      bars_.set_lanes(node, pair_.node[node], at.group);
      set_bar(node, at);
    }
  }
  void set_bar(int node, const Walk& at) {
    bars_.set_bar(node, *pair_.node[node], judge_.bar(node, table_.groups[at.group], at.missing_second));
  }
  __attribute__((noinline)) void take(const Walk& at, std::uint32_t bin, std::uint32_t n, const Found& found);

  const BinnedTable& table_;
  const WordLayout& layout_;
  const ScannedPair& pair_;
  CutJudge& judge_;
  Bars bars_;
};

void GroupScan::take(const Walk& at, std::uint32_t bin, std::uint32_t n, const Found& found) {
  const ColumnGroup& group = table_.groups[at.group];
  for (std::uint32_t i = n; i-- > 0;) {  // scores often rise from bin to bin: the best one is met early
    if (!is_any(found.passing[i])) continue;
    for (int lane = 0; lane < 8; ++lane) {
      if (!found.passing[i][lane]) continue;
      const int node = node_of(lane), column = column_of(lane);
      const PackedWord* bins = (node ? at.larger : at.smaller) + bin * kTogether + column;
      auto left = static_cast<PackedWord>(found.before[node][column]);
      for (std::uint32_t j = 0; j <= i; ++j) left += bins[j * kTogether];
      judge_.take({node, group.column[column], bin + i, left, at.missing_second});
    }
  }
  for (int node = 0; node < 2; ++node)
    if (pair_.node[node]) set_bar(node, at);
}

template <bool kCounted>
TW_INLINE_LOOP inline void scan_all(GroupScan& scan, std::size_t first, std::size_t last) {
  for (std::size_t group = first; group < last; ++group) scan.scan<kCounted>(group);
}

TW_INLINE_LOOP inline void scan_all(GroupScan& scan, bool counted, std::size_t first, std::size_t last) {
  counted ? scan_all<true>(scan, first, last) : scan_all<false>(scan, first, last);
}

#if defined(__x86_64__)
TW_AVX2 void scan_avx2(GroupScan& scan, bool counted, std::size_t first, std::size_t last) {
  scan_all(scan, counted, first, last);
}
#endif

}  // namespace

void scan_groups(const BinnedTable& table, const WordLayout& layout, const ScannedPair& pair, std::size_t first,
                 std::size_t last, CutJudge& judge) {
  GroupScan scan(table, layout, pair, judge);
#if defined(__x86_64__)
  if (has_avx2()) return scan_avx2(scan, layout.counts_rows(), first, last);
#endif
  scan_all(scan, layout.counts_rows(), first, last);
}

}  // namespace tw
