// Divides the rows of a large node among its branches: stable, in parallel chunks, and with the summary of every branch
// as a by-product. The result does not depend on the number of threads: chunks are fixed, sums are integers.
#pragma once

#include <algorithm>  // for min, max, copy
#include <cstdint>    // for uint32_t
#include <limits>     // for numeric_limits
#include <span>       // for span
#include <vector>     // for vector

#include "base/workers.hpp"
#include "grow/growing_node.hpp"
#include "table/target.hpp"

namespace tw {

constexpr std::size_t kDivideChunk = 16384;
constexpr int kMaxBranches = 3;

inline std::size_t n_chunks(std::size_t n) { return (n + kDivideChunk - 1) / kDivideChunk; }

// Calls f(chunk, begin, end) for fixed chunks of 0 … n, shared out among the threads.
template <class F>
void for_each_chunk(Workers& workers, std::size_t n, F f) {
  workers.run(n_chunks(n), [&](std::size_t chunk, int) {
    const std::size_t begin = chunk * kDivideChunk;
    f(chunk, begin, std::min(n, begin + kDivideChunk));
  });
}

struct BranchSum {
  std::uint32_t rows = 0;
  std::int64_t a = 0, b = 0;
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = std::numeric_limits<std::int64_t>::min();
  std::uint32_t example = 0;  // any row of the branch

  void merge(const BranchSum& o) {
    if (o.rows == 0) return;
    rows += o.rows, a += o.a, b += o.b;
    low = std::min(low, o.low), high = std::max(high, o.high);
    example = o.example;
  }
  void write(GrowingNode& s) const { s.rows = rows, s.a = a, s.b = b, s.low = low, s.high = high; }
};

// branch_of(row) gives 0, 1 or 2; row_sum(row, sum) adds a row to a branch's sum.
template <class BranchOf, class AddRow>
std::vector<BranchSum> divide_rows(std::span<std::uint32_t> rows, std::vector<std::uint32_t>& spare, Workers& workers,
                                   BranchOf branch_of, AddRow add_row) {
  const std::size_t n = rows.size(), chunks = n_chunks(n);
  static thread_local std::vector<std::uint8_t> side_store;
  side_store.resize(n);
  std::uint8_t* side = side_store.data();
  std::vector<BranchSum> sums(chunks * kMaxBranches);
  for_each_chunk(workers, n, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    BranchSum* sum = &sums[chunk * kMaxBranches];
    for (std::size_t i = begin; i < end; ++i) {
      side[i] = branch_of(rows[i]);
      add_row(rows[i], sum[side[i]]);
    }
  });
  std::vector<BranchSum> total(kMaxBranches);
  for (std::size_t k = 0; k < sums.size(); ++k) total[k % kMaxBranches].merge(sums[k]);
  std::vector<std::uint32_t> place(chunks * kMaxBranches);
  std::uint32_t next = 0;
  for (int b = 0; b < kMaxBranches; ++b)
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      place[chunk * kMaxBranches + b] = next;
      next += sums[chunk * kMaxBranches + b].rows;
    }
  spare.resize(std::max(spare.size(), n));
  for_each_chunk(workers, n, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::uint32_t* to = &place[chunk * kMaxBranches];
    for (std::size_t i = begin; i < end; ++i) spare[to[side[i]]++] = rows[i];
  });
  for_each_chunk(workers, n, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::copy(spare.begin() + begin, spare.begin() + end, rows.begin() + begin);
  });
  return total;
}

}  // namespace tw
