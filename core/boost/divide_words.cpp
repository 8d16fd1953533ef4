#include "boost/divide_words.hpp"

#include <algorithm>  // for min

#include "boost/words.hpp"

namespace tw {
namespace {

constexpr std::uint32_t kBlock = 16384;

template <class Code>
std::uint32_t find_branches(const Code* code, const std::uint8_t* side, const std::uint32_t* rows, std::uint32_t n,
                            std::uint8_t* branch) {
  std::uint32_t second = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    branch[i] = side[code[rows[i]]];
    second += branch[i];
  }
  return second;
}

}  // namespace

template <class Word>
std::uint32_t RowDivider<Word>::divide(const BinnedColumn& column, std::span<const std::uint8_t> side,
                                       std::uint32_t begin, std::uint32_t end, const RowsAndWords<Word>& from,
                                       RowsAndWords<Word>& to) {
  if (branch_.size() < from.rows.size()) branch_.resize(from.rows.size());
  const std::uint32_t n_blocks = (end - begin + kBlock - 1) / kBlock;
  std::vector<std::uint32_t> second(n_blocks + 1, 0);
  workers_.run(n_blocks, [&](std::size_t block, int) {
    const std::uint32_t first = begin + static_cast<std::uint32_t>(block) * kBlock, n = std::min(kBlock, end - first);
    const std::uint32_t* rows = from.rows.data() + first;
    std::uint8_t* branch = branch_.data() + first;
    second[block + 1] = column.is_narrow() ? find_branches(column.narrow, side.data(), rows, n, branch)
                                           : find_branches(column.wide.data(), side.data(), rows, n, branch);
  });
  for (std::uint32_t block = 0; block < n_blocks; ++block) second[block + 1] += second[block];
  const std::uint32_t middle = end - second[n_blocks];
  workers_.run(n_blocks, [&](std::size_t block, int) {
    const std::uint32_t first = begin + static_cast<std::uint32_t>(block) * kBlock, last = std::min(end, first + kBlock);
    std::uint32_t left = first - second[block], right = middle + second[block];
    for (std::uint32_t i = first; i < last; ++i) {
      const std::uint32_t branch = branch_[i], place = branch ? right : left;
      to.rows[place] = from.rows[i];
      to.words[place] = from.words[i];
      left += 1 - branch, right += branch;
    }
  });
  return middle;
}

template class RowDivider<PackedWord>;
template class RowDivider<DoubleWord>;

}  // namespace tw
