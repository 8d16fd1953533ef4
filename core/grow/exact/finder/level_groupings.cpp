#include "grow/exact/finder/level_groupings.hpp"

#include <cmath>  // for sqrt

#include "base/vectors.hpp"

namespace tw {
namespace {

constexpr int kRounds = 30;

// The shares of the classes in each level less those in all, by levels and by classes.
struct CentredShares {
  std::size_t n_levels, n_classes;
  double *by_level, *by_class, *weight;

  void fill(const LevelTable& table, double* mean) const {
    double total = 0;
    std::fill_n(mean, n_classes, 0.0);
    for (std::size_t l = 0; l < n_levels; ++l) {
      const ConstCounts counts = table.level(l);
      weight[l] = static_cast<double>(total_of(counts));
      total += weight[l];
      for (std::size_t k = 0; k < n_classes; ++k)
        by_level[l * n_classes + k] = counts[k] / weight[l], mean[k] += counts[k];
    }
    for (std::size_t k = 0; k < n_classes; ++k) mean[k] /= total;
    for (std::size_t l = 0; l < n_levels; ++l)
      for (std::size_t k = 0; k < n_classes; ++k) by_class[k * n_levels + l] = by_level[l * n_classes + k] -= mean[k];
  }
};

// One round: the levels' coordinates on a direction, then the next direction, not yet of length 1. Every sum runs in
// one order; the inner loops go over sums that are apart.
TW_INLINE_LOOP inline void turn(const CentredShares& shares, const double* direction, double* coordinate,
                                double* next) {
  const std::size_t K = shares.n_classes, L = shares.n_levels;
  for (std::size_t l = 0; l < L; ++l) coordinate[l] = 0;
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t l = 0; l < L; ++l) coordinate[l] += shares.by_class[k * L + l] * direction[k];
  for (std::size_t k = 0; k < K; ++k) next[k] = 0;
  for (std::size_t l = 0; l < L; ++l) {
    const double length = shares.weight[l] * coordinate[l];
    for (std::size_t k = 0; k < K; ++k) next[k] += length * shares.by_level[l * K + k];
  }
}

void find_direction(const CentredShares& shares, double* direction, double* coordinate, double* next) {
  const std::size_t K = shares.n_classes;
  for (std::size_t k = 0; k < K; ++k) direction[k] = 1.0 / (k + 1.0);
  with_widest_vectors([&]() TW_INLINE_LOOP {
    for (int round = 0; round < kRounds; ++round) {
      turn(shares, direction, coordinate, next);
      double norm = 0;
      for (std::size_t k = 0; k < K; ++k) norm += next[k] * next[k];
      if (norm <= 0) return;
      const double length = std::sqrt(norm);
      bool turns = false;
      for (std::size_t k = 0; k < K; ++k) {
        const double before = direction[k];
        direction[k] = next[k] / length;
        turns |= direction[k] != before;
      }
      if (!turns) return;  // and never will
    }
  });
}

}  // namespace

std::vector<std::uint32_t> principal_order(const LevelTable& table) {
  const std::size_t K = table.n_classes, L = table.n_levels;
  std::vector<double> room(2 * L * K + 2 * L + 2 * K);
  double* const coordinate = room.data() + 2 * L * K + L;
  double* const next = coordinate + L;
  const CentredShares shares{L, K, room.data(), room.data() + L * K, room.data() + 2 * L * K};
  shares.fill(table, next);
  find_direction(shares, next + K, coordinate, next);
  std::vector<std::uint32_t> order(L);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return coordinate[x] < coordinate[y]; });
  return order;
}

}  // namespace tw
