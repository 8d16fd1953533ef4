#include "explain/block_contributions.hpp"

#include <cstring>  // for memcpy

#include "base/vectors.hpp"
#include "explain/quadrature.hpp"

namespace tw {

namespace {

#if defined(__x86_64__)
TW_AVX512 std::uint32_t at_most_avx512(const double* values, double cut) {
  const __m512d cuts = _mm512_set1_pd(cut);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kBlockRows; i += 8)
    bits |= std::uint32_t{_mm512_cmp_pd_mask(_mm512_loadu_pd(values + i), cuts, _CMP_LE_OQ)} << i;
  return bits;
}
#endif

}  // namespace

std::uint32_t at_most(const double* values, double cut) {
#if defined(__x86_64__)
  if (has_avx512()) return at_most_avx512(values, cut);
#endif
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kBlockRows; ++i) bits |= static_cast<std::uint32_t>(values[i] <= cut) << i;
  return bits;
}

namespace {

// What is known at each depth of the way to the node that is looked at.
struct DepthRoom {
  double* down;         // the products
  double* up;           // sums over the leaves below, by answer
  std::uint32_t* path;  // the nodes
  std::size_t n_answers;

  double* down_at(std::size_t depth) const { return down + depth * kBlockRows; }
  double* up_at(std::size_t depth, std::size_t k) const { return up + (depth * n_answers + k) * kBlockRows; }
};

// Both forms below do the same operations on every number, so they give the same bytes.
namespace plain {
// Two numbers at once, which every processor of the last twenty years can do.
using Pair = double __attribute__((vector_size(16)));
using PairBits = long long __attribute__((vector_size(16)));
constexpr PairBits kWhole[4] = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}};  // by two bits

struct Lanes {
  Pair x[4];
  Lanes operator*(const Lanes& other) const {
    return {{x[0] * other.x[0], x[1] * other.x[1], x[2] * other.x[2], x[3] * other.x[3]}};
  }
  Lanes operator+(const Lanes& other) const {
    return {{x[0] + other.x[0], x[1] + other.x[1], x[2] + other.x[2], x[3] + other.x[3]}};
  }
};
inline Lanes all(double x) {
  const Pair both = {x, x};
  return {{both, both, both, both}};
}
inline Lanes load(const double* from) {
  Lanes made;
  std::memcpy(made.x, from, sizeof made.x);
  return made;
}
inline void store(double* to, const Lanes& lanes) { std::memcpy(to, lanes.x, sizeof lanes.x); }
inline Lanes chosen(std::uint32_t bits, const Lanes& a, const Lanes& b) {
  Lanes made;
  for (int i = 0; i < 4; ++i) {
    const PairBits whole = kWhole[bits >> 2 * i & 3];
    made.x[i] = (Pair)(((PairBits)a.x[i] & whole) | ((PairBits)b.x[i] & ~whole));
  }
  return made;
}
#include "explain/block_walk.hpp"
}  // namespace plain

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl")
namespace wide {
struct Lanes {
  __m512d x;
  Lanes operator*(Lanes other) const { return {_mm512_mul_pd(x, other.x)}; }
  Lanes operator+(Lanes other) const { return {_mm512_add_pd(x, other.x)}; }
};
inline Lanes all(double x) { return {_mm512_set1_pd(x)}; }
inline Lanes load(const double* from) { return {_mm512_loadu_pd(from)}; }
inline void store(double* to, Lanes lanes) { _mm512_storeu_pd(to, lanes.x); }
inline Lanes chosen(std::uint32_t bits, Lanes a, Lanes b) {
  return {_mm512_mask_blend_pd(static_cast<__mmask8>(bits), b.x, a.x)};
}
#include "explain/block_walk.hpp"
}  // namespace wide
#pragma GCC pop_options
#endif

}  // namespace

PointWalk::PointWalk(const GameTree& game, const ExplainedTree& explained, const Quadrature& rule, PointRange points)
    : weight(rule.weight.begin() + points.first, rule.weight.begin() + points.last), depth(game.depth),
      answers(explained.answers.data()), n_answers(explained.n_answers) {
  const Tree& tree = game.tree;
  const Edges& edges = game.edges;
  steps.reserve(tree.size()), at.reserve(tree.size() * weight.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::int32_t player = i == 0 ? 0 : game.player[tree.parent[i]];
    steps.push_back({edges.upper[i], static_cast<std::uint32_t>(player), game.n_closing[i]});
  }
  for (std::size_t point = points.first; point < points.last; ++point)
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const PointFactors factors(rule.point[point], edges.kept[i], edges.kept[edges.upper[i]]);
      at.push_back({factors.met, factors.failed, game.ratio[i], factors.earned_met, factors.earned_failed});
    }
}

void add_block_contributions(const PointWalk& walk, const std::uint32_t* met, std::uint32_t apart, const BlockSums& to,
                             BlockRoom& room, Workers& workers) {
  const std::size_t depths = walk.depth + 1;
  room.numbers.resize(depths * kBlockRows * (1 + walk.n_answers));
  room.path.resize(depths);
  double* down = room.numbers.data();
  const DepthRoom levels{down, down + depths * kBlockRows, room.path.data(), walk.n_answers};
  for (std::size_t point = 0; point < walk.weight.size(); ++point) {
    workers.checkpoint();
#if defined(__x86_64__)
    if (has_avx512()) {
      wide::BlockWalk{walk, met, to, levels}.at_point(point, apart);
      continue;
    }
#endif
    plain::BlockWalk{walk, met, to, levels}.at_point(point, apart);
  }
}

}  // namespace tw
