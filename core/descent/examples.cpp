#include "descent/examples.hpp"

#include <bit>      // for bit_cast
#include <numeric>  // for iota
#include <utility>  // for swap

#include "base/counted_random.hpp"

namespace tw {

std::vector<std::uint64_t> row_words(const double* rows, std::size_t n_rows, std::size_t width,
                                     const std::int32_t* targets, std::uint64_t seed) {
  std::vector<std::uint64_t> words(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double* row = rows + i * width;
    std::uint64_t word = seed + kGolden * (static_cast<std::uint64_t>(targets[i]) + 1);
    for (std::size_t j = 0; j < width; ++j)  // + 0.0: minus zero is zero
      word = (std::rotl(word, 29) ^ std::bit_cast<std::uint64_t>(row[j] + 0.0)) * 0x9FB21C651E98DF25ull;
    words[i] = mixed(word);
  }
  return words;
}

std::vector<std::uint32_t> shuffled(std::size_t n, std::uint64_t seed, std::uint64_t pass) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  const std::uint64_t stream = stream_key({seed, pass});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(drawn(stream, i), i)]);
  return order;
}

void gather_rows(const double* matrix, std::size_t n_columns, const std::int64_t* order, std::size_t n_order,
                 const RowForm& form, std::size_t width, double* to) {
  std::vector<double> centre(n_columns, 0.0), scale(n_columns, 1.0);
  if (form.centre) centre.assign(form.centre, form.centre + n_columns);
  if (form.scale) scale.assign(form.scale, form.scale + n_columns);
  for (std::size_t i = 0; i < n_order; ++i, to += width) {
    if (i + kRowsAhead < n_order) {
      const double* next = matrix + static_cast<std::size_t>(order[i + kRowsAhead]) * n_columns;
      for (std::size_t j = 0; j < n_columns; j += kLanes) __builtin_prefetch(next + j);
    }
    const double* row = matrix + static_cast<std::size_t>(order[i]) * n_columns;
    for (std::size_t j = 0; j < n_columns; ++j) to[j] = (row[j] - centre[j]) * scale[j];
    for (std::size_t j = n_columns; j < width; ++j) to[j] = 0.0;
    if (form.constant) to[n_columns] = 1.0;
  }
}

}  // namespace tw
