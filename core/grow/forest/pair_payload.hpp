// What a forest adds up per row for two classes or a numeric target.
//
// CountsInWords: two classes and no weights. How often a row was drawn and its class fit the lower half of a word, so a
// sorted list carries them along. SumsByPlace: the lower half is the row's place in the node.
#pragma once

#include <array>    // for array
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "grow/exact/pair_sum.hpp"
#include "grow/forest/all_pairs.hpp"
#include "grow/forest/tree_weights.hpp"
#include "table/target.hpp"

namespace tw {

constexpr std::uint32_t kFewestForBuckets = 160;  // rows of a node whose codes are counted in buckets

class CountsInWords {
 public:
  static constexpr bool kInWord = true;
  static constexpr std::uint32_t kMostSmall = kMostPairs;
  static constexpr std::uint32_t kMostDrawn = 500;  // 128 such rows still add up to less than 2^16

  struct Payload {  // as finders see it: the "row" of a word is its lower half
    static constexpr bool kCounts = false;
    std::int64_t a(std::uint32_t word) const { return word >> 1; }
    std::int64_t b(std::uint32_t word) const { return word & 1 ? word >> 1 : 0; }
  };

  void start_tree(const Target& target, const Draws& draws, const ForestRules&, Target& units) {
    const std::vector<std::uint32_t>& counts = draws.counts;
    units.weight_unit = units.value_unit = 1;
    noise_ = draws.repeats;
    words_.whole().resize(counts.size());
    for (std::size_t row = 0; row < counts.size(); ++row)
      words_.whole()[row] = static_cast<std::uint16_t>(counts[row] << 1 | target.classes[row]);
  }
  void enter_block(const std::uint32_t* rows, std::uint32_t n) { words_.enter_block(rows, n); }
  void leave_block() { words_.leave_block(); }

  void gather(const std::uint32_t* rows, std::uint32_t n) {
    const std::uint16_t* from = words_.data();
    if (node_.size() < n + kSlack) node_.resize(n + kSlack);
    for (std::uint32_t i = 0; i < n; ++i) node_[i] = from[rows[i]];
    if (n < kFewestForBuckets) return;
    if (packed_.size() < n) packed_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) packed_[i] = packed(node_[i]);
  }
  double noise() const { return noise_; }  // see noise_of_a_unit
  PairSum total(std::uint32_t n) const { return up_to(node_.data(), n, 0xffff); }
  PairSum at(std::uint32_t i) const { return {payload().a(node_[i]), payload().b(node_[i]), 1}; }
  PairSum of_row(std::uint32_t row) const {
    const std::uint16_t word = words_.data()[row];
    return {payload().a(word), payload().b(word), 1};
  }
  Payload payload() const { return {}; }
  std::uint32_t word(std::uint32_t i) const { return node_[i]; }

  const std::uint16_t* words() const { return node_.data(); }  // one for each row of the node

  // The sum of the rows with a code from 1 to `cut`.
  PairSum up_to(const std::uint16_t* codes, std::uint32_t n, std::uint32_t cut) const {
    const CountSums sums = counts_up_to(codes, node_.data(), n, cut);
    return {sums.a, sums.b, sums.rows};
  }

  // Adds every row to the sum of its bucket. Rows, draws and draws of class 1 share a word while they fit.
  template <class BucketOf>
  void count_buckets(const std::uint16_t* codes, std::uint32_t n, BucketOf bucket_of, std::vector<PairSum>& to) const {
    std::array<std::uint64_t, 256> packed{};
    for (std::uint32_t i = 0; i < n; ++i) packed[bucket_of(codes[i])] += packed_[i];
    for (std::size_t b = 0; b < to.size(); ++b) to[b] = unpacked(packed[b]);
  }
  // Calls f(i, rows, draws and draws of class 1 of row i in one word).
  template <class F>
  void for_each_packed(std::uint32_t n, F f) const {
    if (n < kFewestForBuckets)
      for (std::uint32_t i = 0; i < n; ++i) f(i, packed(node_[i]));
    else
      for (std::uint32_t i = 0; i < n; ++i) f(i, packed_[i]);
  }
  static PairSum unpacked(std::uint64_t word) {
    return {static_cast<std::int64_t>(word >> 20 & 0x3fffff), static_cast<std::int64_t>(word >> 42),
            static_cast<std::uint32_t>(word & 0xfffff)};
  }
  static bool fits_buckets(const PairSum& total) { return total.rows < 1u << 20 && total.a < 1 << 22; }

  // The sums of all rows up to the code of each row.
  void small_sums(const std::uint32_t* code, std::uint32_t n, double* a, double* b) const {
    alignas(64) std::uint32_t packed[kPairsRoom], sums[kPairsRoom];
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t count = node_[i] >> 1;
      packed[i] = count | (node_[i] & 1 ? count << 16 : 0);
    }
    sums_up_to(code, packed, n, sums);
    halves_of(sums, n, a, b);
  }

 private:
  static std::uint64_t packed(std::uint16_t word) {
    const std::uint64_t count = word >> 1;
    return 1 | count << 20 | (count & (0 - (word & 1ull))) << 42;
  }

  double noise_ = 1;
  RowNumbers<std::uint16_t> words_;
  std::vector<std::uint16_t> node_;
  std::vector<std::uint64_t> packed_;  // of large nodes: rows, draws and draws of class 1
};

class SumsByPlace {
 public:
  static constexpr bool kInWord = false;
  static constexpr std::uint32_t kMostSmall = kMostWidePairs;
  using Payload = WeightedValues;

  void start_tree(const Target& target, const Draws& draws, const ForestRules& rules, Target& units) {
    units.weight_unit = weigh_rows(target, draws, rules, a_.whole());
    noise_ = noise_of_a_unit(target, draws, rules, a_.whole());
    if (target.is_regression()) {
      units.value_unit = value_rows(target, draws, b_.whole());
      return;
    }
    units.value_unit = units.weight_unit;
    b_.whole() = a_.whole();
    for (const std::uint32_t row : target.rows)
      if (target.classes[row] == 0) b_.whole()[row] = 0;
  }
  void enter_block(const std::uint32_t* rows, std::uint32_t n) { a_.enter_block(rows, n), b_.enter_block(rows, n); }
  void leave_block() { a_.leave_block(), b_.leave_block(); }

  void gather(const std::uint32_t* rows, std::uint32_t n) {
    if (node_a_.size() < n) node_a_.resize(n), node_b_.resize(n);
    const std::int64_t *a = a_.data(), *b = b_.data();
    for (std::uint32_t i = 0; i < n; ++i) node_a_[i] = a[rows[i]], node_b_[i] = b[rows[i]];
  }
  double noise() const { return noise_; }  // see noise_of_a_unit
  PairSum total(std::uint32_t n) const {
    PairSum sum;
    for (std::uint32_t i = 0; i < n; ++i) sum.a += node_a_[i], sum.b += node_b_[i];
    sum.rows = n;
    return sum;
  }
  PairSum at(std::uint32_t i) const { return {node_a_[i], node_b_[i], 1}; }
  PairSum of_row(std::uint32_t row) const { return {a_.data()[row], b_.data()[row], 1}; }
  Payload payload() const { return {node_a_.data(), node_b_.data()}; }
  std::uint32_t word(std::uint32_t i) const { return i; }

  PairSum up_to(const std::uint16_t* codes, std::uint32_t n, std::uint32_t cut) const {
    PairSum sum;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::int64_t here = -static_cast<std::int64_t>(codes[i] - 1u < cut);
      sum.a += node_a_[i] & here, sum.b += node_b_[i] & here, sum.rows -= static_cast<std::int32_t>(here);
    }
    return sum;
  }

  template <class BucketOf>
  void count_buckets(const std::uint16_t* codes, std::uint32_t n, BucketOf bucket_of, std::vector<PairSum>& to) const {
    for (std::uint32_t i = 0; i < n; ++i) to[bucket_of(codes[i])] += at(i);
  }
  static bool fits_buckets(const PairSum&) { return true; }
  void small_sums(const std::uint32_t* code, std::uint32_t n, double* a, double* b) const {
    alignas(64) std::int64_t sum_a[kPairsRoom], sum_b[kPairsRoom];
    sums_up_to(code, node_a_.data(), node_b_.data(), n, sum_a, sum_b);
    for (std::uint32_t i = 0; i < n; ++i) a[i] = static_cast<double>(sum_a[i]), b[i] = static_cast<double>(sum_b[i]);
  }

 private:
  double noise_ = 1;
  RowNumbers<std::int64_t> a_, b_;
  std::vector<std::int64_t> node_a_, node_b_;
};

}  // namespace tw
