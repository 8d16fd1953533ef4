#include "grow/chaid/bins.hpp"

#include <utility>  // for move

namespace tw::chaid {

void bin_numbers(RankedColumn& column, std::span<const std::uint32_t> rows, const Target& target, int bins,
                 bool by_rows) {
  std::vector<std::int64_t> weight(column.n_codes + 1, 0);
  column.visit_codes([&](const auto* codes) {
    for (const std::uint32_t row : rows) weight[codes[row]] += by_rows ? 1 : target.weight_of(row);
  });
  std::int64_t total = 0, below = 0;
  for (std::uint32_t code = 1; code <= column.n_codes; ++code) total += weight[code];
  std::vector<std::uint8_t> bin_of(column.n_codes + 1, 0);
  std::vector<double> uppers;
  __int128 last = 0;
  for (std::uint32_t code = 1; code <= column.n_codes; ++code) {
    if (weight[code] > 0) {  // numbers that only rows without weight have make no bin
      below += weight[code];
      const __int128 bin = (static_cast<__int128>(bins) * below + total - 1) / total;
      if (bin != last) uppers.emplace_back();
      uppers.back() = column.value_of(code), last = bin;
    }
    bin_of[code] = static_cast<std::uint8_t>(uppers.empty() ? 1 : uppers.size());
  }
  std::vector<std::uint8_t> codes(column.width == 1   ? column.codes8.size()
                                  : column.width == 2 ? column.codes16.size()
                                                      : column.codes32.size());
  column.visit_codes([&](const auto* ranks) {
    for (std::size_t row = 0; row < codes.size(); ++row) codes[row] = bin_of[ranks[row]];
  });
  column.n_codes = static_cast<std::uint32_t>(uppers.size());
  column.values = std::move(uppers);
  column.codes8 = std::move(codes), column.codes16.clear(), column.codes32.clear();
  column.width = 1;
}

}  // namespace tw::chaid
