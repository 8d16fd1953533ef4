#include "ensemble/column_coder.hpp"

#include <cmath>    // for isfinite
#include <limits>   // for numeric_limits
#include <utility>  // for move

namespace tw {
namespace {

constexpr std::size_t kMostCells = 1 << 16;

}  // namespace

ColumnCoder::ColumnCoder(std::int32_t column, std::uint32_t largest_level, std::vector<double> cuts)
    : column_(column), largest_level_(largest_level), cuts_(std::move(cuts)) {
  std::size_t begin = 0, end = cuts_.size();
  while (begin < end && !std::isfinite(cuts_[begin])) ++begin;
  while (begin < end && !std::isfinite(cuts_[end - 1])) --end;
  std::size_t cells = 1;
  if (end - begin > 1) {
    while (cells < 2 * (end - begin) && cells < kMostCells) cells *= 2;
    low_ = cuts_[begin];
    scale_ = static_cast<double>(cells) / (cuts_[end - 1] - low_);
    if (!std::isfinite(scale_) || scale_ <= 0) cells = 1, low_ = scale_ = 0;
  }
  last_cell_ = static_cast<double>(cells - 1);
  first_.assign(cells + 1, 0);
  for (const double cut : cuts_) ++first_[cell_of(cut) + 1];
  for (std::size_t cell = 0; cell < cells; ++cell) {
    most_in_cell_ = std::max(most_in_cell_, first_[cell + 1]);
    first_[cell + 1] += first_[cell];
  }
  cuts_.resize(cuts_.size() + kFewInCell, std::numeric_limits<double>::infinity());
}

template <class Code>
void ColumnCoder::code_rows(const FrameColumn& values, std::size_t first, std::size_t n, Code* codes,
                            std::size_t stride) const {
  if (values.is_levels || values.numbers.missing) {
    for (std::size_t i = 0; i < n; ++i) codes[i * stride] = static_cast<Code>(code(values.at(first + i)));
    return;
  }
  values.numbers.visit([&](auto zero) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = static_cast<double>(values.numbers.load<decltype(zero)>(first + i));
      codes[i * stride] = static_cast<Code>(code(x));
    }
  });
}

template void ColumnCoder::code_rows(const FrameColumn&, std::size_t, std::size_t, std::uint16_t*, std::size_t) const;
template void ColumnCoder::code_rows(const FrameColumn&, std::size_t, std::size_t, std::uint32_t*, std::size_t) const;

}  // namespace tw
