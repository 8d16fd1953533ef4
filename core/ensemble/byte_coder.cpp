#include "ensemble/byte_coder.hpp"

#include <cmath>        // for isfinite
#include <limits>       // for numeric_limits
#include <type_traits>  // for conditional_t, is_same_v

#include "predict/frame.hpp"

namespace tw {
namespace {

constexpr std::size_t kFewestCells = 64, kMostCells = 4096;

}  // namespace

// A float is above a cut when it is above the largest float that is not above the cut.
template <class Number>
ByteCoder::Cells<Number>::Cells(const std::vector<double>& all) {
  for (const double cut : all) cuts.push_back(round_down<Number>(cut));
  const auto finite = [](Number cut) { return std::isfinite(cut); };
  const auto first = std::find_if(cuts.begin(), cuts.end(), finite);
  const auto end = std::find_if(cuts.rbegin(), cuts.rend(), finite).base();
  const Number range = first < end ? end[-1] - *first : 0;
  low = first < end ? *first : 0;
  std::size_t n_cells = kFewestCells;
  for (scale = n_cells / range; std::isfinite(scale) && scale > 0; n_cells *= 2, scale = n_cells / range)
    if (fill(n_cells, all.size()) || n_cells == kMostCells) break;
  if (!std::isfinite(scale) || scale <= 0) scale = 0, fill(1, all.size());
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

// In stages, of which those without look-ups become vectors. Always all rows of a block: loops of a known length.
template <class Number>
inline bool ByteCoder::Cells<Number>::code(const Number* numbers, std::int8_t* codes) const {
  std::int32_t cell[kMostRows], at[kMostRows];
  Number cut[kMostRows];
  const Number from = low, times = scale, most = last;
  for (std::size_t i = 0; i < kMostRows; ++i) {
    const Number place = (numbers[i] - from) * times;
    const Number not_below = place > 0 ? place : 0;  // nor NaN
    cell[i] = static_cast<std::int32_t>(not_below < most ? not_below : most);
  }
  const std::uint8_t* first = before.data();
  const Number* all = cuts.data();
  for (std::size_t i = 0; i < kMostRows; ++i) at[i] = first[cell[i]], cut[i] = all[at[i]];
  if (first_step > 1) {
    for (std::size_t i = 0; i < kMostRows; ++i) {
      auto place = static_cast<std::uint32_t>(at[i]);
      for (std::uint32_t step = first_step; step > 1; step /= 2) place += all[place + step - 1] < numbers[i] ? step : 0;
      at[i] = static_cast<std::int32_t>(place), cut[i] = all[place];
    }
  }
  std::int32_t n_missing = 0;
  for (std::size_t i = 0; i < kMostRows; ++i) {
    const Number x = numbers[i];
    const std::int32_t missing = x != x, above = cut[i] < x;
    n_missing += missing;
    at[i] = missing ? kMissing : at[i] + above + 1 + kMissing;
  }
  for (std::size_t i = 0; i < kMostRows; ++i) codes[i] = static_cast<std::int8_t>(at[i]);
  return n_missing > 0;
}

bool ByteCoder::code(const float* numbers, std::int8_t* codes) const {
  return with_widest_vectors([&]() TW_INLINE_LOOP { return of_floats_.code(numbers, codes); });
}

bool ByteCoder::code(const double* numbers, std::int8_t* codes) const {
  return with_widest_vectors([&]() TW_INLINE_LOOP { return of_doubles_.code(numbers, codes); });
}

ByteCoder::ByteCoder(std::int32_t column, const std::vector<double>& cuts)
    : column_(column), cuts_(cuts), of_doubles_(cuts), of_floats_(cuts) {}

std::int8_t ByteCoder::largest_first(double threshold) const {
  const auto below = std::lower_bound(cuts_.begin(), cuts_.end(), threshold) - cuts_.begin();
  return static_cast<std::int8_t>(below + 1 + kMissing);
}

bool ByteCoder::code_rows(const FrameColumn& values, std::size_t first, std::size_t n, std::int8_t* codes) const {
  const auto code_loaded = [&](const auto& load) {
    decltype(load(first)) numbers[kMostRows];
    for (std::size_t i = 0; i < n; ++i) numbers[i] = load(first + i);
    std::fill(numbers + n, numbers + kMostRows, 0);
    return code(numbers, codes);
  };
  if (values.is_levels || values.numbers.missing) return code_loaded([&](std::size_t i) { return values.at(i); });
  return values.numbers.visit([&](auto zero) {
    using Stored = decltype(zero);
    using Number = std::conditional_t<std::is_same_v<Stored, float>, float, double>;
    return code_loaded([&](std::size_t i) { return static_cast<Number>(values.numbers.load<Stored>(i)); });
  });
}

}  // namespace tw
