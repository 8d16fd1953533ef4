#include "grow/boost/gradient_words.hpp"

#include <algorithm>  // for max, min
#include <bit>        // for bit_cast
#include <cmath>      // for abs, exp2, floor, log2
#include <cstring>    // for memcpy
#include <limits>     // for numeric_limits

#include "base/fixed_sum.hpp"
#include "base/vectors.hpp"

namespace tw {
namespace {

constexpr std::size_t kBlock = 8192;
constexpr double kRoundingNoise = 0x1p-45;  // of the first round's gradients: no unit is smaller
constexpr int kLeastUnits = 256;            // a mean gradient must have so many units, or two words are used

struct Totals {
  double absolute = 0, largest = 0, hessian = 0;

  void add(const Totals& other) {
    absolute += other.absolute, hessian += other.hessian;
    largest = std::max(largest, other.largest);
  }
  void add_those_of(Peers& peers) {
    double sums[] = {absolute, hessian};
    peers.add(sums);
    absolute = sums[0], hessian = sums[1], largest = peers.largest(largest);
  }
};

typedef std::int32_t FourInts __attribute__((vector_size(16)));
typedef float FourFloats __attribute__((vector_size(16)));
typedef double FourDoubles __attribute__((vector_size(32)));

inline void load(const float* from, FourFloats& to) { std::memcpy(&to, from, sizeof to); }

// Eight sums side by side: the compiler may not change the order of additions by itself. Absolute floats are in the
// order of their bits, and whole numbers are what every processor can compare four at a time.
void add_up(const float* gradient, const float* hessian, std::size_t n, Totals& totals) {
  with_widest_vectors([&]() TW_INLINE_LOOP {
    FourDoubles absolute[2] = {}, sum[2] = {};
    FourInts largest = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
      for (int half = 0; half < 2; ++half) {
        FourFloats g, h;
        load(gradient + i + 4 * half, g), load(hessian + i + 4 * half, h);
        const FourInts bits = reinterpret_cast<FourInts>(g) & 0x7fffffff;
        const FourDoubles size = __builtin_convertvector(reinterpret_cast<FourFloats>(bits), FourDoubles);
        absolute[half] += size;
        largest = largest < bits ? bits : largest;
        sum[half] += __builtin_convertvector(h, FourDoubles);
      }
    const auto sizes = reinterpret_cast<FourFloats>(largest);
    for (int half = 0; half < 2; ++half)
      for (int lane = 0; lane < 4; ++lane) totals.add({absolute[half][lane], sizes[lane], sum[half][lane]});
    for (; i < n; ++i) {
      const double g = gradient[i], size = g < 0 ? -g : g;
      totals.add({size, size, hessian[i]});
    }
  });
}

// The largest is that of one row: where weights are whole, of each of the rows that a weight stands for.
void add_up_weighted(const float* gradient, const float* hessian, const double* weight, bool whole, std::size_t n,
                     Totals& totals) {
  for (std::size_t i = 0; i < n; ++i) {
    const double g = gradient[i], w = weight[i];
    totals.add({w * std::abs(g), (whole ? std::min(w, 1.0) : w) * std::abs(g), w * hessian[i]});
  }
}

double power_of_two_below(double x) { return std::exp2(std::floor(std::log2(x))); }

constexpr double kRound = 0x1.8p52;

WordTotals pack(const float* gradient, const float* hessian, std::size_t n, const Units& units, PackedWord* words) {
  const double per_gradient = 1 / units.gradient, per_hessian = 1 / units.hessian;
  const int gradient_at = units.layout.gradient_at, row_bits = units.layout.row_bits;
  const std::int64_t one_row = row_bits > 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), largest = 0;
  PackedWord sum = 0;
  with_widest_vectors([=, &least, &largest, &sum]() TW_INLINE_LOOP {
    std::int64_t low = least, high = 0;
    PackedWord all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto g = std::bit_cast<std::int64_t>(static_cast<double>(gradient[i]) * per_gradient + kRound)
                     << gradient_at;
      std::int64_t h = std::bit_cast<std::int64_t>(static_cast<double>(hessian[i]) * per_hessian + kRound) & 0xffffffff;
      h = h < 1 ? 1 : h;
      low = h < low ? h : low, high = high < h ? h : high;
      words[i] = g + (h << row_bits) + one_row;
      all += words[i];
    }
    least = low, largest = high, sum = all;
  });
  return {least, largest, sum_of(sum, units.layout)};
}

template <class Word>
WordTotals make_any(const Gradients& gradients, const RowWeights& weights, const Units& units,
                    std::span<const std::uint32_t> rows, Word* words) {
  WordTotals totals;
  for (const std::uint32_t row : rows) {
    const double w = weights.weight.empty() ? 1.0 : weights.weight[row];
    const double before = weights.whole ? 1.0 : w, after = weights.whole ? w : 1.0;
    const double g = std::nearbyint(gradients.gradient[row] * before / units.gradient);
    const double h = std::nearbyint(gradients.hessian[row] * before / units.hessian);
    const auto hessian = static_cast<std::int64_t>(std::max(h, 1.0) * after);
    put({static_cast<std::int64_t>(g * after), hessian, 1}, units.layout, words[row]);
    totals.add({hessian, hessian, sum_of(words[row], units.layout)});
  }
  return totals;
}

}  // namespace

std::optional<Units> choose_units(const Gradients& gradients, const RowWeights& weights, double& first,
                                  Workers& workers, Peers& peers) {
  const std::size_t n = gradients.gradient.size(), n_blocks = (n + kBlock - 1) / kBlock;
  std::vector<Totals> blocks(n_blocks);
  workers.run(n_blocks, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, size = std::min(kBlock, n - begin);
    const float *g = gradients.gradient.data() + begin, *h = gradients.hessian.data() + begin;
    weights.weight.empty() ? add_up(g, h, size, blocks[block])
                           : add_up_weighted(g, h, weights.weight.data() + begin, weights.whole, size, blocks[block]);
  });
  Totals totals;
  for (const Totals& block : blocks) totals.add(block);
  totals.add_those_of(peers);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(totals.absolute < kInfinity && totals.hessian < kInfinity)) return std::nullopt;
  // A little more than the sums, so that the order of additions cannot move a unit to another power of two.
  if (first == 0) first = totals.absolute > 0 ? totals.absolute : 1;
  const double absolute = (totals.absolute > 0 ? totals.absolute : 1) * (1 + 1e-9);
  const double hessian = (totals.hessian > 0 ? totals.hessian : 1) * (1 + 1e-9);
  Units units;
  const double others = totals.absolute - totals.largest;
  const auto fits = [&](const WordLayout& layout) {
    return totals.absolute == 0 || others * std::exp2(layout.gradient_bits) >= kLeastUnits * absolute * weights.count;
  };
  units.layout = weights.count < std::exp2(WordLayout::kMostCounted)
                     ? WordLayout::counting(static_cast<std::uint64_t>(weights.count))
                     : WordLayout::plain();
  if (!fits(units.layout)) units.layout = WordLayout::plain();
  units.packed = fits(units.layout);
  if (!units.packed) units.layout = WordLayout::wide();
  const int bits = units.layout.gradient_bits;
  const double finest = 1 / power_of_two_below(std::exp2(bits) / absolute);
  units.gradient = std::max(finest, power_of_two_below(first * kRoundingNoise));
  // The best possible score is about (sum of gradients)² ÷ (sum of hessians), and the law of ties wants 2^40 steps of
  // it.
  const double coarser = std::min(units.gradient / finest, 0x1p20);
  units.grid = std::exp2(40 - 2 * bits + units.layout.hessian_bits) * coarser * coarser;
  units.hessian = 1 / power_of_two_below(std::exp2(units.layout.hessian_bits) / hessian);
  return units;
}

double noise_of(const Gradients& gradients, const RowWeights& weights, Workers& workers, Peers& peers) {
  const std::size_t n = gradients.gradient.size(), n_blocks = (n + kBlock - 1) / kBlock;
  const auto weight = [&](std::size_t i) { return weights.weight.empty() ? 1.0 : weights.weight[i]; };
  const auto square = [&](std::size_t i) { return weight(i) * gradients.gradient[i] * gradients.gradient[i]; };
  const auto hessian = [&](std::size_t i) { return weight(i) * gradients.hessian[i]; };
  double largest_square = 0, largest_hessian = 0;
  for (std::size_t i = 0; i < n; ++i)
    largest_square = std::max(largest_square, square(i)), largest_hessian = std::max(largest_hessian, hessian(i));
  largest_square = peers.largest(largest_square), largest_hessian = peers.largest(largest_hessian);
  if (!(largest_square < std::numeric_limits<double>::infinity()) ||
      !(largest_hessian < std::numeric_limits<double>::infinity()))
    return 0;
  const auto n_all = static_cast<std::size_t>(peers.sum(static_cast<std::int64_t>(n)));
  std::vector<FixedSum> squares(n_blocks + 1, {largest_square, n_all});
  std::vector<FixedSum> hessians(n_blocks + 1, {largest_hessian, n_all});
  workers.run(n_blocks, [&](std::size_t block, int) {
    for (std::size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i)
      squares[block].add(square(i)), hessians[block].add(hessian(i));
  });
  for (std::size_t block = 0; block < n_blocks; ++block)
    squares.back().add(squares[block]), hessians.back().add(hessians[block]);
  squares.back().add_those_of(peers), hessians.back().add_those_of(peers);
  const double all = hessians.back().value();
  return all > 0 ? squares.back().value() / all : 0;
}

void WordTotals::add_those_of(Peers& peers) {
  if (!peers.any()) return;
  double ends[] = {-static_cast<double>(least_hessian), static_cast<double>(largest_hessian)};  // below 2^53
  peers.take_largest(ends);
  least_hessian = static_cast<std::int64_t>(-ends[0]), largest_hessian = static_cast<std::int64_t>(ends[1]);
  std::int64_t sums[] = {sum.gradient, sum.hessian, sum.rows};
  peers.add(sums);
  sum = {sums[0], sums[1], sums[2]};
}

template <class Word>
WordTotals make_words(const Gradients& gradients, const RowWeights& weights, const Units& units,
                      std::span<const std::uint32_t> rows, HugeVector<Word>& words, Workers& workers) {
  words.resize(gradients.gradient.size());
  const std::size_t n_blocks = (rows.size() + kBlock - 1) / kBlock;
  const bool dense = rows.size() == gradients.gradient.size() && weights.weight.empty();
  std::vector<WordTotals> blocks(n_blocks);
  workers.run(n_blocks, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, size = std::min(kBlock, rows.size() - begin);
    if constexpr (sizeof(Word) == sizeof(PackedWord))
      if (dense) {
        blocks[block] = pack(gradients.gradient.data() + begin, gradients.hessian.data() + begin, size, units,
                             words.data() + begin);
        return;
      }
    blocks[block] = make_any(gradients, weights, units, rows.subspan(begin, size), words.data());
  });
  WordTotals totals;
  for (const WordTotals& block : blocks) totals.add(block);
  return totals;
}

template WordTotals make_words<PackedWord>(const Gradients&, const RowWeights&, const Units&,
                                           std::span<const std::uint32_t>, HugeVector<PackedWord>&, Workers&);
template WordTotals make_words<WideWord>(const Gradients&, const RowWeights&, const Units&,
                                         std::span<const std::uint32_t>, HugeVector<WideWord>&, Workers&);

}  // namespace tw
