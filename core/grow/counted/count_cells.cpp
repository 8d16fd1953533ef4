#include "grow/counted/count_cells.hpp"

#include <algorithm>  // for max, min
#include <limits>     // for numeric_limits

namespace tw {
namespace {

void add_row(std::int64_t* sums, const Target& target, std::uint32_t row) {
  ++sums[0];
  const std::int64_t weight = target.weight_of(row);
  if (target.is_regression()) {
    sums[1] += weight;
    sums[2] += target.value[row];
  } else if (target.n_classes <= 2) {
    sums[1] += weight;
    sums[2] += target.classes[row] ? weight : 0;
  } else {
    sums[1 + target.classes[row]] += weight;
  }
}

}  // namespace

std::size_t sums_width(const Target& target) { return target.n_classes > 2 ? 1 + target.n_classes : 3; }

CountedCells count_cells(const std::int32_t* node, const std::int32_t* cell, const double* values, const Target& target,
                         std::size_t n_nodes, std::size_t n_cells) {
  const std::size_t width = sums_width(target);
  CountedCells counted;
  counted.sums.assign(n_nodes * n_cells * width, 0);
  if (values) {
    counted.low.assign(n_nodes * n_cells, std::numeric_limits<double>::infinity());
    counted.high.assign(n_nodes * n_cells, -std::numeric_limits<double>::infinity());
  }
  for (const std::uint32_t row : target.rows) {
    if (node[row] < 0) continue;
    const std::size_t at = static_cast<std::size_t>(node[row]) * n_cells + static_cast<std::size_t>(cell[row]);
    add_row(&counted.sums[at * width], target, row);
    if (!values || cell[row] == 0) continue;
    counted.low[at] = std::min(counted.low[at], values[row]);
    counted.high[at] = std::max(counted.high[at], values[row]);
  }
  return counted;
}

CountedNodes count_nodes(const std::int32_t* node, const Target& target, std::size_t n_nodes) {
  const std::size_t width = sums_width(target);
  CountedNodes counted;
  counted.sums.assign(n_nodes * width, 0);
  counted.low.assign(n_nodes, std::numeric_limits<std::int64_t>::max());
  counted.high.assign(n_nodes, std::numeric_limits<std::int64_t>::min());
  counted.lowest.assign(n_nodes, std::numeric_limits<double>::infinity());
  std::vector<__int128> squares(n_nodes, 0);
  for (const std::uint32_t row : target.rows) {
    if (node[row] < 0) continue;
    const auto at = static_cast<std::size_t>(node[row]);
    add_row(&counted.sums[at * width], target, row);
    if (!target.is_regression()) continue;
    const std::int64_t level = target.level[row];
    counted.low[at] = std::min(counted.low[at], level);
    counted.high[at] = std::max(counted.high[at], level);
    counted.lowest[at] = std::min(counted.lowest[at], target.numbers[row]);
    if (target.keeps_weights()) squares[at] += static_cast<__int128>(target.value[row]) * level;
  }
  for (const __int128 square : squares) {
    counted.squares_high.push_back(static_cast<std::int64_t>(square >> 64));
    counted.squares_low.push_back(static_cast<std::uint64_t>(square));
  }
  return counted;
}

}  // namespace tw
