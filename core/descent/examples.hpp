// The examples of a learner that takes them one by one, and the sum that it makes of each.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t, uint32_t, uint64_t
#include <vector>

#include "base/workers.hpp"

namespace tw {

// Rows of `width` numbers, which is a multiple of kLanes: the constant 1 and zeros at the end are part of them.
struct Examples {
  const double* rows;
  const double* weights;  // one a row
  std::size_t n_rows;
  std::size_t width;
  Workers& workers;  // the calling thread, which hears Ctrl-C

  // Called with the number of every visit.
  void hear_ctrl_c(std::size_t visit) const {
    if (visit % 1024 == 0) workers.checkpoint();
  }
};

constexpr std::size_t kLanes = 8;

// Eight partial sums, added in one order: vectors of any width give the same bytes.
__attribute__((always_inline)) inline double dot(const double* a, const double* b, std::size_t width) {
  double lane[kLanes] = {};
  for (std::size_t j = 0; j < width; j += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += a[j + k] * b[j + k];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

__attribute__((always_inline)) inline void add_scaled(double* to, double factor, const double* from,
                                                      std::size_t width) {
  for (std::size_t j = 0; j < width; ++j) to[j] += factor * from[j];
}

// Rows are visited in a random order; the memory of those that come next is asked for ahead.
constexpr std::size_t kRowsAhead = 10;

template <class Target>
__attribute__((always_inline)) inline void ask_ahead(const Examples& examples, const Target* targets,
                                                     const std::uint32_t* order, std::size_t i) {
  if (i + kRowsAhead >= examples.n_rows) return;
  const std::size_t next = order[i + kRowsAhead];
  const double* row = examples.rows + next * examples.width;
  for (std::size_t j = 0; j < examples.width; j += kLanes) __builtin_prefetch(row + j);
  __builtin_prefetch(targets + next);
  __builtin_prefetch(examples.weights + next);
}

// In which order examples are visited: a function of their content and the seed, not of their place in the table.

// A word for each row out of its numbers and its target: equal rows have equal words.
std::vector<std::uint64_t> row_words(const double* rows, std::size_t n_rows, std::size_t width,
                                     const std::int32_t* targets, std::uint64_t seed);

// The numbers 0 to n - 1 in an order that depends on seed and pass (Fisher and Yates).
std::vector<std::uint32_t> shuffled(std::size_t n, std::uint64_t seed, std::uint64_t pass);

// Rows `order` of a matrix as learners take them: (number − centre) · scale, the constant 1 if wanted, zeros up to a
// multiple of kLanes. `to` has room for n_order × width numbers.
struct RowForm {
  const double* centre;  // null: 0
  const double* scale;   // null: 1
  bool constant;
};
void gather_rows(const double* matrix, std::size_t n_columns, const std::int64_t* order, std::size_t n_order,
                 const RowForm& form, std::size_t width, double* to);

}  // namespace tw
