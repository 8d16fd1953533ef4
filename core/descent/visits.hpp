// In which order examples are visited: a function of their content and the seed, not of their place in the table.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t, uint32_t, uint64_t
#include <vector>

namespace tw {

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
