// FixedValues: the numbers of a term, or of the target, as integers: (x − centre) × scale. Sums of their products are
// then exact, and the same for every order of rows and every number of threads.
#pragma once

#include <algorithm>  // for clamp, min, max
#include <bit>        // for bit_width
#include <cmath>      // for frexp, isfinite, ldexp, llround
#include <cstddef>    // for size_t
#include <cstdint>    // for int64_t, uint32_t
#include <limits>     // for numeric_limits
#include <span>       // for span
#include <vector>     // for vector

#include "base/workers.hpp"
#include "model_tree/equation_term.hpp"
#include "predict/walk.hpp"
#include "table/column.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace tw {

// So many bits that Σ w d d' stays below 2^127 for differences d of two such values.
inline int fixed_bits(const Target& target) {
  std::int64_t weight = 0;
  for (auto row : target.rows) weight += target.weight_of(row);
  return std::min(50, (123 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(weight)))) / 2);
}

struct FixedValues {
  double centre = 0, scale = 0;  // scale is a power of two, or 0 where all values are the same
  std::int64_t fill = 0;         // of a row without a finite value: the mean of the others

  std::int64_t of(double x) const {
    return std::isfinite(x) ? static_cast<std::int64_t>(std::llround((x - centre) * scale)) : fill;
  }
  double real(double fixed) const { return scale > 0 ? centre + fixed / scale : centre; }
};

// value_of(row) gives a number; NaN and infinities do not count.
template <class ValueOf>
FixedValues make_fixed_values(const Target& target, int bits, ValueOf value_of) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (auto row : target.rows) {
    const double x = value_of(row);
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  FixedValues fixed;
  if (!(low <= high)) return fixed;
  fixed.centre = low / 2 + high / 2;
  int exponent = 0;
  std::frexp(std::max(high - fixed.centre, fixed.centre - low), &exponent);
  if (low < high) fixed.scale = std::ldexp(1.0, std::clamp(bits - exponent, -1022, 1023));
  __int128 sum = 0, weight = 0;
  for (auto row : target.rows) {
    const double x = value_of(row);
    if (std::isfinite(x))
      sum += static_cast<__int128>(target.weight_of(row)) * fixed.of(x), weight += target.weight_of(row);
  }
  fixed.fill = static_cast<std::int64_t>(sum / weight);
  return fixed;
}

// RowsByNode: the rows of every node as a slice of one array. Rows are put in the order of their leaves; since nodes
// are numbered in preorder, the leaves below a node, and so its rows, lie side by side.

class RowsByNode {
 public:
  RowsByNode(const Tree& tree, const Table& table, const Target& target, Workers& workers) : end_(ends_of(tree)) {
    const std::size_t n = target.rows.size();
    std::vector<std::int32_t> leaf(n);
    constexpr std::size_t kChunk = 4096;
    workers.run((n + kChunk - 1) / kChunk, [&](std::size_t chunk, int) {
      for (std::size_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i)
        leaf[i] = find_leaf(tree, [&](std::int32_t c) { return table.columns[c].value(target.rows[i]); });
    });
    start_.assign(tree.size() + 1, 0);
    for (auto node : leaf) ++start_[node + 1];
    for (std::size_t node = 0; node < tree.size(); ++node) start_[node + 1] += start_[node];
    rows_.resize(n);
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t i = 0; i < n; ++i) rows_[next[leaf[i]]++] = target.rows[i];
  }

  std::span<const std::uint32_t> operator[](std::size_t node) const {
    return std::span(rows_).subspan(start_[node], start_[end_[node]] - start_[node]);
  }
  // The first node after the subtree of a node.
  std::size_t end(std::size_t node) const { return end_[node]; }

 private:
  static std::vector<std::size_t> ends_of(const Tree& tree) {
    std::vector<std::size_t> end(tree.size());
    for (std::size_t node = tree.size(); node-- > 0;)
      end[node] = tree.n_children[node] == 0 ? node + 1 : end[tree.child(node, tree.n_children[node] - 1)];
    return end;
  }

  std::vector<std::size_t> end_, start_;
  std::vector<std::uint32_t> rows_;
};

// NodeMoments: how the terms and the target spread together in one node: Σ w (z_j − mean_j)(z_k − mean_k) for every
// pair, from integers and around the node's own means, so that no digit is lost.

struct NodeMoments {
  std::size_t n = 0;           // terms, without the target, which stands last
  double weight = 0;           // in units of the target's weights
  std::vector<double> mean;    // n + 1, in fixed units
  std::vector<double> spread;  // (n + 1)², in fixed units

  double at(std::size_t j, std::size_t k) const { return spread[j * (n + 1) + k]; }
  double of_target() const { return at(n, n); }
};

// Everything that the numbers of a node are read from.
class Design {
 public:
  Design(const Table& table, const Target& target, const std::vector<EquationTerm>& terms);

  // rows: of the node. terms: numbers of terms, ascending.
  NodeMoments moments(std::span<const std::uint32_t> rows, const std::vector<std::int32_t>& terms,
                      Workers* workers = nullptr) const;

  const FixedValues& of_term(std::int32_t term) const { return values_[term]; }
  const FixedValues& of_target() const { return target_values_; }

 private:
  struct Sums;
  template <class Add>
  void in_chunks(std::span<const std::uint32_t> rows, Sums& sums, Workers* workers, Add add) const;
  void read(std::span<const std::uint32_t> rows, std::int32_t term, std::int64_t* to) const;
  void add_first(std::span<const std::uint32_t> rows, const std::vector<std::int32_t>& terms, Sums& sums) const;
  void add_products(std::span<const std::uint32_t> rows, const std::vector<std::int32_t>& terms, Sums& sums) const;

  const Table& table_;
  const Target& target_;
  const std::vector<EquationTerm>& terms_;
  std::vector<FixedValues> values_;
  FixedValues target_values_;
};

}  // namespace tw
