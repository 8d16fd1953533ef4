#include "grow/forest/random_cuts/lane_loops.hpp"

#include <algorithm>    // for fill, max
#include <bit>          // for bit_cast
#include <cmath>        // for abs
#include <cstring>      // for memcpy
#include <limits>       // for numeric_limits
#include <type_traits>  // for is_same

#include "base/counted_random.hpp"
#include "base/vectors.hpp"

namespace tw {
namespace {

typedef std::int32_t Ints __attribute__((vector_size(32)));
// Eight floats are one vector, eight doubles are two: of 64 bytes the compiler makes lonely numbers where no register
// holds them.
template <class Number>
struct VectorOf {
  typedef Number Type __attribute__((vector_size(32)));
};
template <class Number>
constexpr int kInVector = 32 / static_cast<int>(sizeof(Number));
template <class Number>
constexpr int kVectors = static_cast<int>(kLanes) / kInVector<Number>;

constexpr std::uint32_t kAhead = 8;     // rows to be fetched meanwhile
constexpr std::uint32_t kFewRows = 64;  // of a node that need not be fetched ahead

template <class Vector, class Number>
inline TW_INLINE_LOOP void load(const Number* from, Vector& vector) {
  std::memcpy(&vector, from, sizeof vector);
}
template <class Vector, class Number>
inline TW_INLINE_LOOP void store(const Vector& vector, Number* to) {
  std::memcpy(to, &vector, sizeof vector);
}

// −1 in every lane whose number is at most `last`; kMissing: or NaN.
template <bool kMissing, class Vector>
inline TW_INLINE_LOOP void at_most(const float* from, const Vector* last, Ints& here) {
  Vector numbers;
  load(from, numbers);
  if constexpr (kMissing)
    here = ~(numbers > *last);
  else
    here = numbers <= *last;
}
template <bool kMissing, class Vector>
inline TW_INLINE_LOOP void at_most(const double* from, const Vector* last, Ints& here) {
  Vector first, second;
  load(from, first), load(from + kInVector<double>, second);
  Ints a, b;
  if constexpr (kMissing)
    a = reinterpret_cast<Ints>(~(first > last[0])), b = reinterpret_cast<Ints>(~(second > last[1]));
  else
    a = reinterpret_cast<Ints>(first <= last[0]), b = reinterpret_cast<Ints>(second <= last[1]);
  here = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);  // the lower half of each
}

template <class Number>
inline TW_INLINE_LOOP void fetch_ahead(const LaneRows<Number>& cells, std::uint32_t i) {
  if (!cells.rows || cells.n <= kFewRows || i + kAhead >= cells.n) return;
  const Number* next = cells.at(i + kAhead);
  for (std::uint32_t at = 0; at < cells.n_groups * kLanes; at += 64 / sizeof(Number)) __builtin_prefetch(next + at);
}

// Calls f<groups>() for the number of groups.
template <class F>
inline TW_INLINE_LOOP void for_groups(std::uint32_t n_groups, F f) {
  if (n_groups == 1) return f.template operator()<1>();
  if (n_groups == 2) return f.template operator()<2>();
  if (n_groups == 3) return f.template operator()<3>();
  f.template operator()<4>();
}

// Calls f<first, second>() for two flags.
template <class F>
inline TW_INLINE_LOOP void for_flags(bool first, bool second, F f) {
  if (first) return second ? f.template operator()<true, true>() : f.template operator()<true, false>();
  second ? f.template operator()<false, true>() : f.template operator()<false, false>();
}

template <int kGroups, class Number>
inline TW_INLINE_LOOP void find_ranges(const LaneRows<Number>& cells, LaneRanges<Number>& ranges) {
  using Vector = typename VectorOf<Number>::Type;
  constexpr int kAll = kGroups * kVectors<Number>, kStep = kInVector<Number>;
  Vector low[kAll], high[kAll];
  for (int g = 0; g < kAll; ++g) {
    low[g] = Vector{} + std::numeric_limits<Number>::infinity();
    high[g] = Vector{} - std::numeric_limits<Number>::infinity();
  }
  for (std::uint32_t i = 0; i < cells.n; ++i) {
    fetch_ahead(cells, i);
    const Number* from = cells.at(i);
    for (int g = 0; g < kAll; ++g) {
      Vector x;
      load(from + g * kStep, x);
      low[g] = x < low[g] ? x : low[g];  // never for NaN
      high[g] = x > high[g] ? x : high[g];
    }
  }
  for (int g = 0; g < kAll; ++g) store(low[g], ranges.low + g * kStep), store(high[g], ranges.high + g * kStep);
}

template <int kGroups, class Number>
inline TW_INLINE_LOOP void find_holes(const LaneRows<Number>& cells, Number* missing) {
  using Vector = typename VectorOf<Number>::Type;
  constexpr int kAll = kGroups * kVectors<Number>, kStep = kInVector<Number>;
  Vector found[kAll];
  for (int g = 0; g < kAll; ++g) found[g] = Vector{};
  for (std::uint32_t i = 0; i < cells.n; ++i) {
    const Number* from = cells.at(i);
    for (int g = 0; g < kAll; ++g) {
      Vector x;
      load(from + g * kStep, x);
      found[g] = x == x ? found[g] : x;
    }
  }
  for (int g = 0; g < kAll; ++g) store(found[g], missing + g * kStep);
}

template <int kGroups, bool kWeights, bool kMissing, class Number>
inline TW_INLINE_LOOP void add_up(const LaneRows<Number>& cells, const Number* last, const std::int32_t* weights,
                                  const std::int32_t* values, LaneSums& sums) {
  using Vector = typename VectorOf<Number>::Type;
  Vector end[kGroups * kVectors<Number>];
  Ints rows[kGroups], a[kGroups], b[kGroups];
  for (int g = 0; g < kGroups * kVectors<Number>; ++g) load(last + g * kInVector<Number>, end[g]);
  for (int g = 0; g < kGroups; ++g) rows[g] = a[g] = b[g] = Ints{};
  for (std::uint32_t i = 0; i < cells.n; ++i) {
    fetch_ahead(cells, i);
    const Number* from = cells.at(i);
    const Ints value = Ints{} + values[i];
    for (int g = 0; g < kGroups; ++g) {
      Ints here;
      at_most<kMissing>(from + g * kLanes, end + g * kVectors<Number>, here);
      rows[g] -= here, b[g] += here & value;
      if constexpr (kWeights) a[g] += here & (Ints{} + weights[i]);
    }
  }
  for (int g = 0; g < kGroups; ++g) {
    store(rows[g], sums.rows + g * kLanes), store(b[g], sums.b + g * kLanes);
    store(kWeights ? a[g] : rows[g], sums.a + g * kLanes);
  }
}

template <int kGroups, bool kWeights, bool kMissing, class Number>
inline TW_INLINE_LOOP void count(const LaneRows<Number>& cells, const Number* last, const std::uint16_t* classes,
                                 const std::int32_t* weights, std::int32_t* counts, std::int32_t* n_rows) {
  using Vector = typename VectorOf<Number>::Type;
  Vector end[kGroups * kVectors<Number>];
  Ints rows[kGroups];
  for (int g = 0; g < kGroups * kVectors<Number>; ++g) load(last + g * kInVector<Number>, end[g]);
  for (int g = 0; g < kGroups; ++g) rows[g] = Ints{};
  for (std::uint32_t i = 0; i < cells.n; ++i) {
    fetch_ahead(cells, i);
    const Number* from = cells.at(i);
    std::int32_t* to = counts + classes[i] * kMostLanes;
    for (int g = 0; g < kGroups; ++g) {
      Ints here;
      at_most<kMissing>(from + g * kLanes, end + g * kVectors<Number>, here);
      rows[g] -= here;
      Ints sum;
      load(to + g * kLanes, sum);
      if constexpr (kWeights)
        sum += here & (Ints{} + weights[i]);
      else
        sum -= here;
      store(sum, to + g * kLanes);
    }
  }
  for (int g = 0; g < kGroups; ++g) store(rows[g], n_rows + g * kLanes);
}

// Where the difference of the two was too large for a double, or rounding met the end.
double settled_number(double low, double high, double share) {
  const double x = low * (1 - share) + high * share;
  return x >= low && x < high ? x : low;
}

inline TW_INLINE_LOOP float not_above(double x, float) {
  const auto nearest = static_cast<float>(x);
  const auto bits = std::bit_cast<std::int32_t>(nearest);
  const std::int32_t below = bits < 0 ? bits + 1 : bits - 1;
  return std::bit_cast<float>(static_cast<double>(nearest) > x ? below : bits);
}
inline TW_INLINE_LOOP double not_above(double x, double) { return x; }

}  // namespace

namespace {

template <std::uint32_t kCount, class Number>
void pick(const LaneRows<Number>& from, const std::uint32_t* of, std::uint32_t count, Number* to) {
  const std::uint32_t lanes = from.n_groups * kLanes, n_picked = kCount > 0 ? kCount : count;
  for (std::uint32_t i = 0; i < from.n; ++i, to += lanes) {
    if (from.n > kFewRows && i + kAhead < from.n) {
      const Number* next = from.at(i + kAhead);
      for (std::size_t at = 0; at < from.step; at += 64 / sizeof(Number)) __builtin_prefetch(next + at);
    }
    const Number* row = from.at(i);
    for (std::uint32_t k = n_picked & ~3u; k < lanes; ++k) to[k] = 0;
    for (std::uint32_t k = 0; k < n_picked; ++k) to[k] = row[of[k]];
  }
}

}  // namespace

template <class Number>
void pick_columns(const LaneRows<Number>& from, const std::uint32_t* of, std::uint32_t count, Number* to) {
  switch (count) {  // what many tables ask for: the root of 4 to 80 columns
    case 2:
      return pick<2>(from, of, count, to);
    case 3:
      return pick<3>(from, of, count, to);
    case 4:
      return pick<4>(from, of, count, to);
    case 5:
      return pick<5>(from, of, count, to);
    case 6:
      return pick<6>(from, of, count, to);
    case 7:
      return pick<7>(from, of, count, to);
    case 8:
      return pick<8>(from, of, count, to);
    default:
      return pick<0>(from, of, count, to);
  }
}

template <class Number>
void ranges_of(const LaneRows<Number>& cells, LaneRanges<Number>& ranges) {
  with_widest_vectors([&]() TW_INLINE_LOOP {
    for_groups(cells.n_groups, [&]<int kGroups>() TW_INLINE_LOOP { find_ranges<kGroups>(cells, ranges); });
  });
}

template <class Number>
void find_missing(const LaneRows<Number>& cells, Number* missing) {
  with_widest_vectors([&]() TW_INLINE_LOOP {
    for_groups(cells.n_groups, [&]<int kGroups>() TW_INLINE_LOOP { find_holes<kGroups>(cells, missing); });
  });
}

template <class Number>
void draw_cuts(const LaneRanges<Number>& ranges, const std::uint32_t* columns, std::uint32_t n_groups,
               std::uint64_t stream, std::uint64_t first_word, LaneCuts<Number>& cuts) {
  const std::uint32_t n = n_groups * kLanes;
  alignas(64) double share[kMostLanes];
  alignas(64) std::int64_t settled[kMostLanes];
  const bool all = with_widest_vectors([&]() TW_INLINE_LOOP {
    std::int64_t every = 1;
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint64_t word = drawn(stream, first_word + columns[k]);
      const auto upper = static_cast<std::int64_t>(word >> 11);  // as unit_number, which takes no sign
      share[k] = (static_cast<double>(upper) + 0.5) * 0x1p-53;
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      const double low = ranges.low[k], high = ranges.high[k], x = low + share[k] * (high - low);
      settled[k] = ((x >= low) & (x < high)) | !(low < high);  // nobody asks for the cut of one number
      every &= settled[k];
      cuts.number[k] = x;
      cuts.last[k] = not_above(x, Number{});
    }
    return every != 0;
  });
  if (all) return;
  for (std::uint32_t k = 0; k < n; ++k) {
    if (settled[k]) continue;
    cuts.number[k] = settled_number(ranges.low[k], ranges.high[k], share[k]);
    cuts.last[k] = not_above(cuts.number[k], Number{});
  }
}

double number_between(double low, double high, std::uint64_t word) {
  const double share = unit_number(word), x = low + share * (high - low);
  return x >= low && x < high ? x : settled_number(low, high, share);
}

template <class Number>
void sums_of_lanes(const LaneRows<Number>& cells, const Number* last, bool missing_left, const std::int32_t* weights,
                   const std::int32_t* values, LaneSums& sums) {
  with_widest_vectors([&]() TW_INLINE_LOOP {
    for_groups(cells.n_groups, [&]<int kGroups>() TW_INLINE_LOOP {
      for_flags(weights != nullptr, missing_left, [&]<bool kWeights, bool kMissing>() TW_INLINE_LOOP {
        add_up<kGroups, kWeights, kMissing>(cells, last, weights, values, sums);
      });
    });
  });
}

template <class Number>
void counts_of_lanes(const LaneRows<Number>& cells, const Number* last, bool missing_left, const std::uint16_t* classes,
                     const std::int32_t* weights, std::uint32_t n_classes, std::int32_t* counts, std::int32_t* rows) {
  with_widest_vectors([&]() TW_INLINE_LOOP {
    for (std::uint32_t k = 0; k < n_classes; ++k)
      for (std::uint32_t g = 0; g < cells.n_groups; ++g) store(Ints{}, counts + k * kMostLanes + g * kLanes);
    for_groups(cells.n_groups, [&]<int kGroups>() TW_INLINE_LOOP {
      for_flags(weights != nullptr, missing_left, [&]<bool kWeights, bool kMissing>() TW_INLINE_LOOP {
        count<kGroups, kWeights, kMissing>(cells, last, classes, weights, counts, rows);
      });
    });
  });
}

float score_lanes(const LaneSums& sums, const std::uint32_t* open, std::uint32_t n_groups, float whole, float slack,
                  LaneScores& scores) {
  return with_widest_vectors([&]() TW_INLINE_LOOP {
    float largest = -1;
    for (std::uint32_t k = 0; k < n_groups * kLanes; ++k) {
      const auto a = static_cast<float>(sums.a[k]), distance = std::abs(static_cast<float>(sums.b[k]));
      const float product = a * (whole - a), near = std::max(distance - slack, 0.0f), far = distance + slack;
      const bool is_cut = (product > 0) & (open[k] != 0);
      const float per = is_cut ? product : 1.0f;
      scores.most[k] = is_cut ? far * far / per : -1.0f;
      scores.least[k] = is_cut ? near * near / per : -1.0f;
    }
    for (std::uint32_t k = 0; k < n_groups * kLanes; ++k) largest = std::max(largest, scores.least[k]);
    return largest;
  });
}

#define TW_FOR_NUMBER(Number)                                                                                    \
  template void pick_columns<Number>(const LaneRows<Number>&, const std::uint32_t*, std::uint32_t, Number*);     \
  template void ranges_of<Number>(const LaneRows<Number>&, LaneRanges<Number>&);                                 \
  template void find_missing<Number>(const LaneRows<Number>&, Number*);                                          \
  template void draw_cuts<Number>(const LaneRanges<Number>&, const std::uint32_t*, std::uint32_t, std::uint64_t, \
                                  std::uint64_t, LaneCuts<Number>&);                                             \
  template void sums_of_lanes<Number>(const LaneRows<Number>&, const Number*, bool, const std::int32_t*,         \
                                      const std::int32_t*, LaneSums&);                                           \
  template void counts_of_lanes<Number>(const LaneRows<Number>&, const Number*, bool, const std::uint16_t*,      \
                                        const std::int32_t*, std::uint32_t, std::int32_t*, std::int32_t*);
TW_FOR_NUMBER(float)
TW_FOR_NUMBER(double)

}  // namespace tw
