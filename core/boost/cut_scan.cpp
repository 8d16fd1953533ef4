#include "boost/cut_scan.hpp"

#include "base/vector_clones.hpp"

namespace tw {
namespace {

constexpr std::uint32_t kChunk = 16;

template <class Part>
inline __attribute__((always_inline)) bool is_above(Part g, Part h, const NodeSides& node, double bar) {
  const double gl = static_cast<double>(g) + static_cast<double>(node.base.gradient);
  const double hl = static_cast<double>(h) + static_cast<double>(node.base.hessian);
  const double gr = static_cast<double>(node.whole.gradient) - gl;
  const double hr = static_cast<double>(node.whole.hessian) - hl;
  const double pl = hl + node.l2, pr = hr + node.l2;
  return (gl * gl * pr + gr * gr * pl > bar * (pl * pr)) & (hl >= node.least) & (hr >= node.least);
}

template <class Part>
inline __attribute__((always_inline)) std::uint32_t search(const RunningSums<Part>& sums, const NodeSides& given,
                                                           std::uint32_t from, double bar) {
  const NodeSides node = given;
  const Part *gradient = sums.gradient, *hessian = sums.hessian;
  std::uint32_t i = from;
  for (; i + kChunk <= sums.n_cuts; i += kChunk) {
    int above = 0;
    for (std::uint32_t k = 0; k < kChunk; ++k) above |= is_above(gradient[i + k], hessian[i + k], node, bar);
    if (above) break;
  }
  while (i < sums.n_cuts && !is_above(gradient[i], hessian[i], node, bar)) ++i;
  return i;
}

}  // namespace

TW_VECTOR_CLONES std::uint32_t next_above(const RunningSums<std::int32_t>& sums, const NodeSides& node,
                                          std::uint32_t from, double bar) {
  return search(sums, node, from, bar);
}

std::uint32_t next_above(const RunningSums<std::int64_t>& sums, const NodeSides& node, std::uint32_t from, double bar) {
  return search(sums, node, from, bar);
}

}  // namespace tw
