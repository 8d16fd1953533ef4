#include "grow/boost/cut_scan.hpp"

#include <cmath>    // for abs
#include <cstring>  // for memcpy
#include <limits>   // for numeric_limits

#include "base/vectors.hpp"

namespace tw {
namespace {

// The halves of some packed words: of four for every processor, of eight where the compiler knows AVX2. In which order
// the words stand in them is left to what one instruction does.
struct Four {
  static constexpr std::uint32_t kCount = 4;
  typedef std::int32_t Ints __attribute__((vector_size(16)));
  typedef float Floats __attribute__((vector_size(16)));
  typedef std::int64_t Words __attribute__((vector_size(16)));

  TW_INLINE_LOOP static void part(const Ints& a, const Ints& b, Ints& lower, Ints& upper) {
    lower = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    upper = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  }
};

struct Eight {
  static constexpr std::uint32_t kCount = 8;
  typedef std::int32_t Ints __attribute__((vector_size(32)));
  typedef float Floats __attribute__((vector_size(32)));
  typedef std::int64_t Words __attribute__((vector_size(32)));

  TW_INLINE_LOOP static void part(const Ints& a, const Ints& b, Ints& lower, Ints& upper) {
    lower = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
    upper = __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
  }
};

// What all cuts of a line are compared with, in floats.
struct RoughBar {
  std::int32_t base_gradient, base_hessian, gradient, hessian;
  float l2, least, bar;

  // The roundings of both sides of a comparison come to less than 2^-20 of it.
  static constexpr double kSlack = 0x1p-18;
  static constexpr double kLargest = 0x1p60;  // of l2: beyond it products are no floats any more, and every cut passes

  RoughBar(const GradientSum& base, const NodeSides& node, double exact)
      : base_gradient(static_cast<std::int32_t>(base.gradient)), base_hessian(static_cast<std::int32_t>(base.hessian)),
        gradient(static_cast<std::int32_t>(node.whole.gradient)),
        hessian(static_cast<std::int32_t>(node.whole.hessian)), l2(static_cast<float>(node.l2)),
        least(static_cast<float>(node.least * (1 - kSlack))),
        bar(node.l2 < kLargest ? static_cast<float>(exact - std::abs(exact) * kSlack)
                               : -std::numeric_limits<float>::infinity()) {}
};

template <class Lanes>
TW_INLINE_LOOP inline bool one_is_above(const PackedWord* sums, const RoughBar& rough) {
  using Ints = typename Lanes::Ints;
  using Floats = typename Lanes::Floats;
  Ints found = {};
  for (std::uint32_t i = 0; i < kCutsTogether; i += Lanes::kCount) {
    Ints a, b, g, h;
    std::memcpy(&a, sums + i, sizeof a), std::memcpy(&b, sums + i + Lanes::kCount / 2, sizeof b);
    Lanes::part(a, b, h, g);
    g += rough.base_gradient, h += rough.base_hessian;
    const Floats gl = __builtin_convertvector(g, Floats), gr = __builtin_convertvector(rough.gradient - g, Floats);
    const Floats hl = __builtin_convertvector(h, Floats), hr = __builtin_convertvector(rough.hessian - h, Floats);
    const Floats pl = hl + rough.l2, pr = hr + rough.l2, smaller = hl < hr ? hl : hr;
    found |= (gl * gl * pr + gr * gr * pl > rough.bar * (pl * pr)) & (smaller >= rough.least);
  }
  const auto pairs = reinterpret_cast<typename Lanes::Words>(found);
  std::int64_t any = 0;
  for (std::uint32_t i = 0; i < Lanes::kCount / 2; ++i) any |= pairs[i];
  return any != 0;
}

template <class Lanes>
TW_INLINE_LOOP inline std::uint32_t walk(const PackedWord* sums, std::uint32_t at, std::uint32_t n,
                                         const RoughBar& rough) {
  while (at < n && !one_is_above<Lanes>(sums + at, rough)) at += kCutsTogether;
  return at;
}

#if defined(__x86_64__)
TW_AVX2 std::uint32_t walk_avx2(const PackedWord* sums, std::uint32_t at, std::uint32_t n, const RoughBar& rough) {
  return walk<Eight>(sums, at, n, rough);
}
#endif

std::uint32_t walk_packed(const PackedWord* sums, std::uint32_t at, std::uint32_t n, const RoughBar& rough) {
#if defined(__x86_64__)
  if (has_avx2()) return walk_avx2(sums, at, n, rough);
#endif
  return walk<Four>(sums, at, n, rough);
}

}  // namespace

template <class Word>
void RunningSums<Word>::add_up(const Word* line, std::uint32_t n) {
  n_ = n;
  const std::uint32_t filled = (n + kCutsTogether - 1) / kCutsTogether * kCutsTogether;
  if (sums_.size() < filled) sums_.resize(filled);
  Word sum{}, *to = sums_.data();
  std::uint32_t i = 0;
  for (; i + 4 <= n; i += 4) {  // each four wait for one addition only
    const Word one = line[i], two = one + line[i + 1], three = two + line[i + 2];
    const Word four = two + (line[i + 2] + line[i + 3]);
    to[i] = sum + one, to[i + 1] = sum + two, to[i + 2] = sum + three;
    to[i + 3] = sum += four;
  }
  for (; i < n; ++i) to[i] = sum += line[i];
  for (; i < filled; ++i) to[i] = sum;
}

template <class Word>
bool CutScan<Word>::next(double bar) {
  first_ = next_;
  if constexpr (sizeof(Word) == sizeof(PackedWord))
    first_ = walk_packed(sums_.data(), next_, sums_.size(), RoughBar(base_, node_, bar));
  next_ = first_ + kCutsTogether;
  return first_ < sums_.size();
}

template class RunningSums<PackedWord>;
template class RunningSums<DoubleWord>;
template class CutScan<PackedWord>;
template class CutScan<DoubleWord>;

}  // namespace tw
