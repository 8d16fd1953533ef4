// NodeMoments: how the terms and the target spread together in one node: Σ w (z_j − mean_j)(z_k − mean_k) for every
// pair, from integers and around the node's own means, so that no digit is lost.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "linear/equation_term.hpp"
#include "linear/fixed_values.hpp"
#include "table/column.hpp"
#include "table/target.hpp"

namespace tw {

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
