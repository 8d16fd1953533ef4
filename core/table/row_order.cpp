#include "table/row_order.hpp"

#include <algorithm>  // for min, sort, stable_sort
#include <bit>        // for bit_cast
#include <span>       // for span
#include <tuple>      // for tuple
#include <utility>    // for pair

#include "base/counted_random.hpp"

namespace tw {
namespace {

constexpr std::size_t kBlock = 4096;  // rows whose hashes stay in the first-level cache while the columns pass

using Words = std::span<std::uint64_t>;
using Rows = std::span<const std::uint32_t>;

std::uint64_t bits_of(double x) {
  return x == x ? std::bit_cast<std::uint64_t>(x + 0.0) : ~0ull;  // −0 is 0, and there is one NaN
}

template <class WordOf>
void add_words(Words hash, Rows rows, WordOf&& word_of) {
  for (std::size_t i = 0; i < rows.size(); ++i) hash[i] = mixed(hash[i] + kGolden + word_of(rows[i]));
}

void add_column(Words hash, Rows rows, const Column& column) {
  if (!column.values.data)
    return add_words(hash, rows, [&](std::uint32_t row) { return std::uint64_t{column.code(row)}; });
  if (column.values.missing)
    return add_words(hash, rows, [&](std::uint32_t row) { return bits_of(column.values.at(row)); });
  column.values.visit([&](auto zero) {
    add_words(hash, rows, [v = column.values](std::uint32_t row) {
      return bits_of(static_cast<double>(v.load<decltype(zero)>(row)));
    });
  });
}

void add_target(Words hash, Rows rows, const Target& target) {
  if (target.is_regression())
    add_words(hash, rows, [&](std::uint32_t row) { return bits_of(target.numbers[row]); });
  else
    add_words(hash, rows, [&](std::uint32_t row) { return std::uint64_t{target.classes[row]}; });
}

// Equal rows of different weights: the lightest first, so that what is drawn among them does not depend on their order.
void order_by_weight(std::span<std::pair<std::uint64_t, std::uint32_t>> equal, const Target& target,
                     std::span<const double> unrounded) {
  const auto& given = target.case_weights();
  std::stable_sort(equal.begin(), equal.end(), [&](const auto& a, const auto& b) {
    const auto weights = [&](std::uint32_t row) {
      return std::tuple(target.weight_of(row), given.empty() ? std::int64_t{1} : given[row],
                        unrounded.empty() ? 1.0 : unrounded[row]);
    };
    return weights(a.second) < weights(b.second);
  });
}

}  // namespace

std::vector<std::uint32_t> rows_by_content(const Table& table, const Target& target, Workers& workers,
                                           std::span<const double> unrounded) {
  const std::size_t n = target.rows.size();
  std::vector<std::uint64_t> hash(n, 0);
  workers.run((n + kBlock - 1) / kBlock, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, count = std::min(kBlock, n - begin);
    const Words words(hash.data() + begin, count);
    const Rows rows(target.rows.data() + begin, count);
    for (const Column& column : table.columns) add_column(words, rows, column);
    add_target(words, rows, target);
  });
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = {hash[i], target.rows[i]};
  std::sort(order.begin(), order.end());
  if (!target.unit_weights() || !target.case_weights().empty() || !unrounded.empty()) {
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
      while (end < n && order[end].first == order[begin].first) ++end;
      if (end - begin > 1) order_by_weight(std::span(order).subspan(begin, end - begin), target, unrounded);
    }
  }
  std::vector<std::uint32_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = order[i].second;
  return rows;
}

}  // namespace tw
