#include "grow/tables/oblique/standardized_rows.hpp"

#include <algorithm>  // for any_of, max, min
#include <bit>        // for bit_cast
#include <cmath>      // for isfinite, sqrt, log
#include <limits>     // for numeric_limits
#include <numeric>    // for iota

#include "base/vectors.hpp"
#include "grow/tables/oblique/block_products.hpp"
#include "grow/tables/oblique/directions.hpp"

namespace tw {

namespace {

constexpr double kCurveScale = 4, kSlopeScale = 16 * kStep;  // p·(1 − p) ≤ 1/4 and |y − p| ≤ 1 in 16 bits
constexpr std::size_t kBlocksBetweenChecks = 64;

// e^x for |x| < 700, to the last bit or two, without a branch: 2^k · e^r with |r| ≤ ln(2)/2 by its series.
inline double exponential(double x) {
  constexpr double kMagic = 6755399441055744.0, kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
  const double shifted = x * 1.4426950408889634 + kMagic, k = shifted - kMagic;
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double series = 1.0 / 6227020800;
  for (const double term : {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                            1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
    series = series * r + term;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(series) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

inline double logistic_of(double x) {
  x = x > 30 ? 30 : x;
  x = x < -30 ? -30 : x;
  return 1 / (1 + exponential(-x));
}

// Sums of blocks. What a double holds exactly is added up in integers.
class WholeSums {
 public:
  explicit WholeSums(std::size_t n) : sums_(n, 0) {}
  void add(std::size_t i, double block) { sums_[i] += static_cast<std::int64_t>(block); }
  std::vector<double> times(double factor) const {
    std::vector<double> result(sums_.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = double(sums_[i]) * factor;
    return result;
  }

 private:
  std::vector<__int128> sums_;
};

}  // namespace

// Values are counted in 2^-31 of half their range, around its middle: whole numbers, whose sums depend on no order.
void StandardizedColumn::set_moments(std::span<const double> weights) {
  double low = INFINITY, high = -INFINITY;
  for (const double x : values)
    if (x == x)
      low = std::min(low, x), high = std::max(high, x);
    else
      has_missing = true;
  const double middle = low / 2 + high / 2, reach = high / 2 - low / 2, scale = 2147483648.0 / reach;
  __int128 sum = 0, squares = 0;
  std::int64_t total = 0;
  deviation = 0;
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(scale) || scale <= 0) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != values[i]) continue;
    const auto q = static_cast<std::int64_t>(whole((values[i] - middle) * scale));
    const std::int64_t w = weights.empty() ? 1 : static_cast<std::int64_t>(weights[i]);
    total += w, sum += w * q, squares += static_cast<__int128>(w) * (q * q);
  }
  const double offset = double(sum) / double(total);
  mean = middle + offset / scale;
  deviation = std::sqrt(std::max(0.0, double(squares) / double(total) - offset * offset)) / scale;
}

void StandardizedColumn::set_steps() {
  steps.resize(values.size());
  const double* x = values.data();
  float* z = steps.data();
  const double per_step = kStep / deviation, centre = mean;
  with_widest_vectors([=, n = steps.size()]() TW_INLINE_LOOP {
    for (std::size_t i = 0; i < n; ++i) z[i] = static_cast<float>(in_steps(x[i], centre, per_step));
  });
}

bool StandardizedColumn::is_sound() const { return std::isfinite(mean) && std::isfinite(deviation) && deviation > 0; }

bool StandardizedRows::has_missing() const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [](const StandardizedColumn& column) { return column.has_missing; });
}

// Some columns of a block of rows, standardised; and weights. Rows beyond the end have weight 0.
struct StandardizedRows::Tile {
  explicit Tile(std::size_t n_columns) : z(n_columns * kBlockOfRows), other(n_columns * kBlockOfRows) {}
  std::vector<double> z, other;  // column by column
  double weight[kBlockOfRows] = {};
  std::size_t n = 0;
};

void StandardizedRows::fill(std::size_t begin, std::span<const std::uint32_t> kept, Tile& tile) const {
  if (begin % (kBlockOfRows * kBlocksBetweenChecks) == 0) workers_.checkpoint();
  tile.n = std::min(kBlockOfRows, n_rows_ - begin);
  with_widest_vectors([&]() TW_INLINE_LOOP {
    for (std::size_t j = 0; j < kept.size(); ++j) {
      double* z = tile.z.data() + j * kBlockOfRows;
      const float* steps = columns_[kept[j]].steps.data() + begin;
      for (std::size_t r = 0; r < tile.n; ++r) z[r] = steps[r];
      std::fill(z + tile.n, z + kBlockOfRows, 0.0);
    }
  });
  for (std::size_t r = 0; r < kBlockOfRows; ++r)
    tile.weight[r] = r >= tile.n ? 0 : weights_.empty() ? 1 : weights_[begin + r];
}

std::vector<std::uint32_t> StandardizedRows::all() const {
  std::vector<std::uint32_t> kept(columns_.size());
  std::iota(kept.begin(), kept.end(), 0u);
  return kept;
}

double StandardizedRows::total() const {
  double sum = weights_.empty() ? double(n_rows_) : 0;
  for (const double weight : weights_) sum += weight;
  return sum * unit_;
}

std::vector<double> StandardizedRows::cross() const {
  const std::size_t m = columns_.size();
  const std::vector<std::uint32_t> kept = all();
  Tile tile(m);
  WholeSums sums(m * m);
  std::vector<double> block(m * m);
  for (std::size_t begin = 0; begin < n_rows_; begin += kBlockOfRows) {
    fill(begin, kept, tile);
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t r = 0; r < kBlockOfRows; ++r)
        tile.other[j * kBlockOfRows + r] = tile.z[j * kBlockOfRows + r] * tile.weight[r];
    upper_products(tile.other.data(), tile.z.data(), m, block.data());
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = i; j < m; ++j) sums.add(i * m + j, block[i * m + j]);
  }
  return sums.times(unit_ / (kStep * kStep));
}

std::vector<double> StandardizedRows::sums(std::span<const std::uint32_t> group_of_row, std::size_t n_groups) const {
  const std::size_t m = columns_.size();
  const std::vector<std::uint32_t> kept = all();
  Tile tile(m);
  std::vector<std::int64_t> sums(n_groups * m, 0);
  for (std::size_t begin = 0; begin < n_rows_; begin += kBlockOfRows) {
    fill(begin, kept, tile);
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t r = 0; r < tile.n; ++r)
        sums[group_of_row[begin + r] * m + j] +=
            static_cast<std::int64_t>(tile.z[j * kBlockOfRows + r] * tile.weight[r]);
  }
  std::vector<double> result(sums.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = double(sums[i]) * unit_ / kStep;
  return result;
}

std::vector<double> StandardizedRows::with_target(std::span<const double> target) const {
  const std::size_t m = columns_.size();
  const std::vector<std::uint32_t> kept = all();
  Tile tile(m + 1);
  WholeSums sums(m + 1);
  std::vector<double> away(kBlockOfRows, 0.0), block(m + 1);
  std::fill_n(tile.z.begin() + m * kBlockOfRows, kBlockOfRows, kStep);
  for (std::size_t begin = 0; begin < n_rows_; begin += kBlockOfRows) {
    fill(begin, kept, tile);
    for (std::size_t r = 0; r < kBlockOfRows; ++r) away[r] = r < tile.n ? target[begin + r] * tile.weight[r] : 0;
    row_products(away.data(), tile.z.data(), m + 1, block.data());
    for (std::size_t j = 0; j <= m; ++j) sums.add(j, block[j]);
  }
  return sums.times(unit_ / (kStep * kStep));
}

StandardizedRows::Curve StandardizedRows::logistic(std::span<const std::uint32_t> kept, std::span<const double> target,
                                                   std::span<const double> b) const {
  const std::size_t m = kept.size() + 1;
  Tile tile(m);
  WholeSums slopes(m), curvatures(m * m);
  std::vector<double> slope(m), curvature(m * m);
  double away[kBlockOfRows], curve[kBlockOfRows];
  std::fill_n(tile.z.begin() + kept.size() * kBlockOfRows, kBlockOfRows, kStep);
  for (std::size_t begin = 0; begin < n_rows_; begin += kBlockOfRows) {
    fill(begin, kept, tile);
    const double* y = target.data() + begin;
    with_widest_vectors([&, z = tile.z.data(), other = tile.other.data()]() TW_INLINE_LOOP {
      double sum[kBlockOfRows] = {};
      for (std::size_t j = 0; j < m; ++j)
        for (std::size_t r = 0; r < kBlockOfRows; ++r) sum[r] += b[j] * z[j * kBlockOfRows + r];
      for (std::size_t r = 0; r < kBlockOfRows; ++r) sum[r] = logistic_of(sum[r] / kStep);
      for (std::size_t r = 0; r < kBlockOfRows; ++r) curve[r] = kCurveScale * (sum[r] * (1 - sum[r]));
      for (std::size_t r = 0; r < tile.n; ++r) away[r] = whole((y[r] - sum[r]) * kSlopeScale) * tile.weight[r];
      for (std::size_t j = 0; j < m; ++j)
        for (std::size_t r = 0; r < kBlockOfRows; ++r)
          other[j * kBlockOfRows + r] = whole(curve[r] * z[j * kBlockOfRows + r]) * tile.weight[r];
    });
    std::fill(away + tile.n, away + kBlockOfRows, 0.0);
    row_products(away, tile.z.data(), m, slope.data());
    upper_products(tile.other.data(), tile.z.data(), m, curvature.data());
    for (std::size_t i = 0; i < m; ++i) {
      slopes.add(i, slope[i]);
      for (std::size_t j = i; j < m; ++j) curvatures.add(i * m + j, curvature[i * m + j]);
    }
  }
  return {slopes.times(unit_ / (kSlopeScale * kStep)), curvatures.times(unit_ / (kCurveScale * kStep * kStep))};
}

namespace {

constexpr double kDrawn = 5;  // rows

// The weight of each level, and Σ w·target: of numbers their levels in fixed point, of classes one sum for each class.
struct LevelSums {
  std::size_t width;  // sums of one level
  std::vector<double> weight, goal;
};

LevelSums add_up(const NodeView& node, const StandardizedColumn& column) {
  const Weighing& weighing = node.weighing;
  const std::size_t K = weighing.target->n_classes, L = column.levels.size();
  std::vector<NumberSum> numbers(K ? 0 : L);
  std::vector<std::int64_t> classes(L * K, 0);
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    const std::size_t place = column.places[i];
    if (place >= L) continue;
    const std::uint32_t row = node.rows.rows[i];
    if (K)
      classes[place * K + weighing.target->classes[row]] += weighing.weight_of(row);
    else
      numbers[place].add(weighing.weight_of(row), weighing.level_of(row));
  }
  LevelSums sums{K ? K : 1, std::vector<double>(L, 0), {}};
  for (const NumberSum& sum : numbers) sums.goal.push_back(double(sum.first) * weighing.unit);
  for (std::size_t v = 0; v < numbers.size(); ++v) sums.weight[v] = node.weight(numbers[v].weight);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    sums.goal.push_back(node.weight(classes[c]));
    sums.weight[c / K] += sums.goal.back();
  }
  return sums;
}

// Means, or shares of classes, of each level, drawn to those of all.
std::vector<double> drawn_means(const LevelSums& sums) {
  std::vector<double> middle(sums.width, 0), means(sums.goal.size());
  double total = 0;
  for (const double weight : sums.weight) total += weight;
  for (std::size_t c = 0; c < sums.goal.size(); ++c) middle[c % sums.width] += sums.goal[c];
  for (std::size_t c = 0; c < means.size(); ++c)
    means[c] = (sums.goal[c] + kDrawn * (middle[c % sums.width] / total)) / (sums.weight[c / sums.width] + kDrawn);
  return means;
}

// Which level each row has; codes in ascending order.
void set_places(const NodeView& node, const RankedColumn& from, StandardizedColumn& column) {
  std::vector<std::uint8_t> seen(from.n_codes + 1, 0);
  from.visit_codes([&](const auto* codes) {
    for (const std::uint32_t row : node.rows.rows) seen[codes[row]] = 1;
    std::vector<std::uint8_t> place_of(from.n_codes + 1, kNoLevel);
    for (std::uint32_t code = 1; code <= from.n_codes; ++code) {
      if (!seen[code]) continue;
      place_of[code] = static_cast<std::uint8_t>(column.levels.size());
      column.levels.push_back({code, 0.0});
    }
    for (const std::uint32_t row : node.rows.rows) column.places.push_back(place_of[codes[row]]);
  });
}

}  // namespace

StandardizedColumn scored_column(const NodeView& node, std::int32_t column) {
  StandardizedColumn found;
  set_places(node, node.column(column), found);
  const LevelSums sums = add_up(node, found);
  const std::vector<double> means = drawn_means(sums);
  const std::size_t K = node.weighing.target->n_classes;
  if (K > 2) {
    const std::vector<double> along = principal_coordinates(means, sums.weight, K);
    for (std::size_t v = 0; v < found.levels.size(); ++v) found.levels[v].score = along[v];
  } else {
    for (std::size_t v = 0; v < found.levels.size(); ++v)
      found.levels[v].score = K ? std::log(means[2 * v + 1] / means[2 * v]) : means[v];
  }
  found.values.resize(found.places.size());
  for (std::size_t i = 0; i < found.values.size(); ++i)
    found.values[i] =
        found.places[i] == kNoLevel ? std::numeric_limits<double>::quiet_NaN() : found.levels[found.places[i]].score;
  return found;
}

}  // namespace tw
