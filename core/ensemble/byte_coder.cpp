#include "ensemble/byte_coder.hpp"

#include <cmath>        // for isfinite
#include <limits>       // for numeric_limits
#include <type_traits>  // for is_same_v

#include "predict/round_down.hpp"

namespace tw {
namespace {

constexpr std::size_t kFewestCells = 64, kMostCells = 4096;

}  // namespace

// A float is above a cut when it is above the largest float that is not above the cut.
template <class Number>
ByteCoder::Cells<Number>::Cells(const std::vector<double>& all) {
  for (const double cut : all) cuts.push_back(round_down<Number>(cut));
  std::size_t begin = 0, end = cuts.size();
  while (begin < end && !std::isfinite(cuts[begin])) ++begin;
  while (begin < end && !std::isfinite(cuts[end - 1])) --end;
  const Number range = end > begin ? cuts[end - 1] - cuts[begin] : 0;
  low = end > begin ? cuts[begin] : 0;
  std::size_t n_cells = range > 0 && std::isfinite(range) ? kFewestCells : 1;
  while (true) {
    scale = n_cells > 1 ? static_cast<Number>(n_cells) / range : 0;
    if (!std::isfinite(scale)) n_cells = 1, scale = 0;
    if (fill(n_cells, all.size()) || n_cells == 1 || n_cells == kMostCells) break;
    n_cells *= 2;
  }
  cuts.resize(all.size() + 2 * std::size_t{first_step}, std::numeric_limits<Number>::infinity());
}

// Says whether no cell has more than one cut.
template <class Number>
bool ByteCoder::Cells<Number>::fill(std::size_t n_cells, std::size_t n_cuts) {
  last = static_cast<Number>(n_cells - 1);
  std::vector<std::uint32_t> in_cell(n_cells, 0);
  for (std::size_t i = 0; i < n_cuts; ++i) ++in_cell[cell_of(cuts[i])];
  before.assign(n_cells, 0);
  std::uint32_t fullest = 0, sum = 0;
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    before[cell] = static_cast<std::uint8_t>(sum);
    sum += in_cell[cell];
    fullest = std::max(fullest, in_cell[cell]);
  }
  first_step = fullest > 0;
  while (2 * first_step <= fullest && first_step > 0) first_step *= 2;
  return fullest <= 1;
}

template <class Number>
template <bool kOneStep, class Load>
bool ByteCoder::Cells<Number>::code(const Load& load, std::size_t n, std::int8_t* codes) const {
  bool any_missing = false;
  for (std::size_t i = 0; i < n; ++i) {
    const Number x = load(i);
    std::uint32_t at = before[cell_of(x)];
    if constexpr (kOneStep)
      at += cuts[at] < x;
    else
      for (std::uint32_t step = first_step; step > 0; step /= 2) at += cuts[at + step - 1] < x ? step : 0;
    const bool missing = x != x;
    any_missing |= missing;
    codes[i] = static_cast<std::int8_t>(missing ? kMissing : static_cast<int>(at) + 1 + kMissing);
  }
  return any_missing;
}

template <class Number>
template <class Load>
bool ByteCoder::Cells<Number>::code(const Load& load, std::size_t n, std::int8_t* codes) const {
  return first_step == 1 ? code<true>(load, n, codes) : code<false>(load, n, codes);
}

ByteCoder::ByteCoder(std::int32_t column, const std::vector<double>& cuts)
    : column_(column), cuts_(cuts), of_doubles_(cuts), of_floats_(cuts) {}

std::int8_t ByteCoder::largest_first(double threshold) const {
  const auto below = std::lower_bound(cuts_.begin(), cuts_.end(), threshold) - cuts_.begin();
  return static_cast<std::int8_t>(below + 1 + kMissing);
}

bool ByteCoder::code_rows(const FrameColumn& values, std::size_t first, std::size_t n, std::int8_t* codes) const {
  if (values.is_levels || values.numbers.missing)
    return of_doubles_.code([&](std::size_t i) { return values.at(first + i); }, n, codes);
  return values.numbers.visit([&](auto zero) {
    using Stored = decltype(zero);
    const auto load = [&](std::size_t i) { return values.numbers.load<Stored>(first + i); };
    if constexpr (std::is_same_v<Stored, float>)
      return of_floats_.code(load, n, codes);
    else
      return of_doubles_.code([&](std::size_t i) { return static_cast<double>(load(i)); }, n, codes);
  });
}

}  // namespace tw
