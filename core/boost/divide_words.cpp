#include "boost/divide_words.hpp"

#include <algorithm>  // for max, min

#include "boost/divide_block.hpp"

namespace tw {
namespace {

constexpr std::uint32_t kBlock = 16384;

}  // namespace

template <class Word>
std::uint32_t RowDivider<Word>::divide(const BinnedColumn& column, std::span<const std::uint8_t> side,
                                       std::uint32_t begin, std::uint32_t end, const RowsAndWords<Word>& from,
                                       RowsAndWords<Word>& to) {
  branch_.resize(std::max(branch_.size(), from.rows.size() / 16 + 1 + from.rows.size() / kBlock));
  const auto n_codes = static_cast<std::uint32_t>(n_rows_);
  const std::uint32_t n_blocks = (end - begin + kBlock - 1) / kBlock;
  std::vector<std::uint32_t> second(n_blocks + 1, 0);
  workers_.run(n_blocks, [&](std::size_t block, int) {
    const std::uint32_t first = begin + static_cast<std::uint32_t>(block) * kBlock, n = std::min(kBlock, end - first);
    const std::uint32_t* rows = from.rows.data() + first;
    std::uint16_t* branch = branch_.data() + block * (kBlock / 16);
    second[block + 1] = column.is_narrow() ? find_branches(column.narrow, n_codes, side.data(), rows, n, branch)
                                           : find_branches(column.wide.data(), n_codes, side.data(), rows, n, branch);
  });
  for (std::uint32_t block = 0; block < n_blocks; ++block) second[block + 1] += second[block];
  const std::uint32_t middle = end - second[n_blocks];
  workers_.run(n_blocks, [&](std::size_t block, int) {
    const std::uint32_t first = begin + static_cast<std::uint32_t>(block) * kBlock,
                        last = std::min(end, first + kBlock);
    const std::uint32_t left = first - second[block], right = middle + second[block];
    move_rows(from.rows.data() + first, from.words.data() + first, last - first, branch_.data() + block * (kBlock / 16),
              {{to.rows.data() + left, to.rows.data() + right}, {to.words.data() + left, to.words.data() + right}});
  });
  return middle;
}

template class RowDivider<PackedWord>;
template class RowDivider<DoubleWord>;

}  // namespace tw
