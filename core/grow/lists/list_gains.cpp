#include "grow/lists/list_gains.hpp"

#include <algorithm>    // for max, min
#include <bit>          // for bit_width
#include <cmath>        // for sqrt, ldexp
#include <type_traits>  // for is_same_v, make_signed_t

#include "grow/lists/lanes.hpp"
#include "grow/lists/word.hpp"

namespace tw {
namespace {

constexpr std::uint32_t kFewRows = 32768;  // squares of their number fit into 31 bits
constexpr std::uint32_t kChunk = 1024;     // sums that wait to be scored: they stay in the first-level cache

// The larger of `most` and the gains of the cuts after list[0 … n): gain(place) in lanes, where the value changes.
// Up to 16 words behind them are read too.
template <class Real, int kReals, class Word, class Gain>
TW_INLINE_LOOP inline Real largest_gain(const Word* list, std::uint32_t n, Real most, Gain gain) {
  using Reals = Lanes<Real, kReals>;
  using Mask = Lanes<std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>, kReals>;
  using Words = Lanes<Word, kReals>;
  Reals best = Reals{} + most;
  for (std::uint32_t i = 0; i < n; i += kReals) {
    const Words differ = (load_lanes<Words>(list + i) ^ load_lanes<Words>(list + i + 1)) >> WordParts<Word>::kShift;
    const Reals gains = __builtin_convertvector(differ != 0, Mask) != 0 ? gain(i) : Reals{} - 1;
    best = gains > best ? gains : best;
  }
  for (int i = 0; i < kReals; ++i) most = std::max(most, best[i]);
  return most;
}

}  // namespace

void NumberGains::start(const std::uint32_t* list, std::uint32_t n, const std::int64_t* values, std::int64_t sum,
                        std::uint32_t min_leaf) {
  n_ = n;
  const std::int64_t middle = sum / n;
  std::uint64_t widest = 0;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t row = row_of(list[i]);
    const std::int64_t d = values[row] - middle;
    widest |= static_cast<std::uint64_t>(d < 0 ? -d : d);
    last = std::max(last, row);
  }
  const int cut_off = std::max(0, static_cast<int>(std::bit_width(widest)) - 30);
  if (centred_.size() <= last) centred_.resize(last + 1);
  std::int64_t absolute = 0;
  double squares = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t row = row_of(list[i]);
    const auto d = static_cast<std::int32_t>((values[row] - middle) >> cut_off);
    centred_[row] = d;
    absolute += d < 0 ? -static_cast<std::int64_t>(d) : d;
    squares += double(d) * double(d);
  }
  shift_ = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(absolute / 2 + n))) - 31);
  squares_ = std::ldexp(squares, -2 * shift_);
  error_ = std::ldexp(2.0 * n, -shift_) + 1;
  factor_.assign(n + 16, -1.0f);
  for (std::uint32_t p = min_leaf; p + min_leaf <= n; ++p)
    factor_[p - 1] = 1.0f / static_cast<float>(p) + 1.0f / static_cast<float>(n - p);
}

float NumberGains::most(const std::uint32_t* list) {
  float most = -1;
  with_lanes([&]<int kLanes>() TW_INLINE_LOOP {
    using Ints = Lanes<std::int32_t, kLanes>;
    using Floats = Lanes<float, kLanes>;
    alignas(64) std::int32_t sums[kChunk + 16];
    std::int64_t sum = 0;
    const std::uint32_t n_cuts = n_ - 1;
    for (std::uint32_t begin = 0; begin < n_cuts; begin += kChunk) {
      const std::uint32_t n = std::min(kChunk, n_cuts - begin);
      const std::uint32_t* words = list + begin;
      for (std::uint32_t i = 0; i < n; ++i) {
        sum += centred_[row_of(words[i])];
        sums[i] = static_cast<std::int32_t>(sum >> shift_);
      }
      const float* factor = factor_.data() + begin;
      most = largest_gain<float, kLanes>(words, n, most, [&](std::uint32_t i) TW_INLINE_LOOP {
        const Floats d = __builtin_convertvector(load_lanes<Ints>(sums + i), Floats);
        return d * d * load_lanes<Floats>(factor + i);
      });
    }
  });
  return most;
}

float least_number_gain(float largest, double error, double squares) {
  const double root = std::max(0.0, std::sqrt(double(std::max(0.0f, largest))) - 3 * error);
  return static_cast<float>(std::max(0.0, root * root * (1 - 4e-6) - 4 * kTieShare * squares));
}
float NumberGains::least(float largest) const { return least_number_gain(largest, error_, squares_); }

double least_class_gain(double largest, std::uint32_t n) { return largest * (1 - 2e-6) - 4 * kTieShare * n; }

template <class Real>
void ClassGains::Shares<Real>::start(std::uint32_t n, std::uint32_t min_leaf) {
  left.assign(n + 16, 0), right.assign(n + 16, 0);
  for (std::uint32_t p = min_leaf; p + min_leaf <= n; ++p)
    left[p - 1] = Real(1) / static_cast<Real>(p), right[p - 1] = Real(1) / static_cast<Real>(n - p);
}
template <>
const ClassGains::Shares<float>& ClassGains::shares() const {
  return single_;
}
template <>
const ClassGains::Shares<double>& ClassGains::shares() const {
  return double_;
}

void ClassGains::start(std::span<const std::int64_t> totals, std::uint32_t n, std::uint32_t min_leaf) {
  n_ = n, squares_ = 0;
  if (n < kFewRows)
    single_.start(n, min_leaf);
  else
    double_.start(n, min_leaf);
  totals_.assign(totals.begin(), totals.end());
  for (const std::int64_t total : totals) squares_ += total * total;
}

namespace list_gains_detail {

// What moves with the next row of a class, and the sums of squares on both sides after each word of a list. Few rows:
// the left side in the lower half of a word, the right one in the upper half.
struct FewRows {
  using Real = float;
  using Entry = std::uint64_t;
  alignas(64) std::uint64_t sums[kChunk + 16];
  std::uint64_t sum;

  static Entry entry(std::int64_t total) { return 1 + (static_cast<std::uint64_t>(1 - 2 * total) << 32); }
  void start(std::int64_t squares) { sum = static_cast<std::uint64_t>(squares) << 32; }
  TW_INLINE_LOOP void move(std::uint32_t i, Entry& entry) {
    sum += entry;
    entry += 2 + (2ull << 32);
    sums[i] = sum;
  }
  template <int kReals>
  TW_INLINE_LOOP Lanes<float, kReals> left(std::uint32_t i) const {
    const auto words = load_lanes<Lanes<std::uint64_t, kReals>>(sums + i);
    return __builtin_convertvector(__builtin_convertvector(words, Lanes<std::int32_t, kReals>), Lanes<float, kReals>);
  }
  template <int kReals>
  TW_INLINE_LOOP Lanes<float, kReals> right(std::uint32_t i) const {
    const auto words = load_lanes<Lanes<std::uint64_t, kReals>>(sums + i) >> 32;
    return __builtin_convertvector(__builtin_convertvector(words, Lanes<std::int32_t, kReals>), Lanes<float, kReals>);
  }
};

struct ManyRows {
  using Real = double;
  struct Entry {
    std::int64_t left, right;
  };
  alignas(64) double lefts[kChunk + 16], rights[kChunk + 16];
  Entry sum;

  static Entry entry(std::int64_t total) { return {1, 1 - 2 * total}; }
  void start(std::int64_t squares) { sum = {0, squares}; }
  TW_INLINE_LOOP void move(std::uint32_t i, Entry& entry) {
    sum.left += entry.left, sum.right += entry.right;
    entry.left += 2, entry.right += 2;
    lefts[i] = static_cast<double>(sum.left), rights[i] = static_cast<double>(sum.right);
  }
  template <int kReals>
  TW_INLINE_LOOP Lanes<double, kReals> left(std::uint32_t i) const {
    return load_lanes<Lanes<double, kReals>>(lefts + i);
  }
  template <int kReals>
  TW_INLINE_LOOP Lanes<double, kReals> right(std::uint32_t i) const {
    return load_lanes<Lanes<double, kReals>>(rights + i);
  }
};

}  // namespace list_gains_detail

template <class Rows, class Word>
ClassGains::Two ClassGains::most_by(const Word* list, const Word* other, const std::uint16_t* class_of) {
  using Real = typename Rows::Real;
  using Entry = typename Rows::Entry;
  const std::size_t n_classes = totals_.size();
  entries_.resize(2 * n_classes * sizeof(Entry) / sizeof(std::uint64_t));
  auto* entries = reinterpret_cast<Entry*>(entries_.data());
  for (std::size_t k = 0; k < n_classes; ++k) entries[k] = entries[n_classes + k] = Rows::entry(totals_[k]);
  Real most[2] = {0, 0};
  const Shares<Real>& of = shares<Real>();
  with_lanes([&]<int kLanes>() TW_INLINE_LOOP {
    constexpr int kReals = sizeof(Real) == 4 ? kLanes : kLanes / 2;
    Rows first, second;
    first.start(squares_), second.start(squares_);
    const std::uint32_t n_cuts = n_ - 1;
    for (std::uint32_t begin = 0; begin < n_cuts; begin += kChunk) {
      const std::uint32_t n = std::min(kChunk, n_cuts - begin);
      for (std::uint32_t i = 0; i < n; ++i) {
        first.move(i, entries[class_of[row_of(list[begin + i])]]);
        second.move(i, entries[n_classes + class_of[row_of(other[begin + i])]]);
      }
      const Real *per_left = of.left.data() + begin, *per_right = of.right.data() + begin;
      const auto largest = [&](const Word* words, const Rows& rows, Real before) TW_INLINE_LOOP {
        return largest_gain<Real, kReals>(words + begin, n, before, [&](std::uint32_t i) TW_INLINE_LOOP {
          return rows.template left<kReals>(i) * load_lanes<Lanes<Real, kReals>>(per_left + i) +
                 rows.template right<kReals>(i) * load_lanes<Lanes<Real, kReals>>(per_right + i);
        });
      };
      most[0] = largest(list, first, most[0]);
      most[1] = largest(other, second, most[1]);
    }
  });
  return {most[0], most[1]};
}

ClassGains::Two ClassGains::most(const std::uint32_t* list, const std::uint32_t* other, const std::uint16_t* class_of) {
  return n_ < kFewRows ? most_by<list_gains_detail::FewRows>(list, other, class_of)
                       : most_by<list_gains_detail::ManyRows>(list, other, class_of);
}
ClassGains::Two ClassGains::most(const std::uint64_t* list, const std::uint64_t* other, const std::uint16_t* class_of) {
  return n_ < kFewRows ? most_by<list_gains_detail::FewRows>(list, other, class_of)
                       : most_by<list_gains_detail::ManyRows>(list, other, class_of);
}

double ClassGains::least(double largest) const { return least_class_gain(largest, n_); }

}  // namespace tw
