#include "grow/boost/divide_rows.hpp"

#include <algorithm>  // for max, min

#include "grow/boost/divide_block.hpp"

namespace tw {
namespace {

constexpr std::uint32_t kBlock = 8192;

std::uint32_t find_block(const BinnedColumn& column, const BoostedNode& node, const std::uint32_t* rows,
                         std::uint32_t n, std::uint16_t* branch) {
  if (!column.is_narrow()) return find_branches(column.wide.data(), node.side.data(), rows, n, branch);
  if (column.kind == Kind::nominal) return find_branches(column.narrow, node.side.data(), rows, n, branch);
  const CodeCut cut{static_cast<std::uint8_t>(node.split.last_code), node.split.missing_second};
  return find_branches(column.narrow, cut, rows, n, branch);
}

}  // namespace

std::uint32_t RowDivider::divide(const BinnedColumn& column, const BoostedNode& node,
                                 const HugeVector<std::uint32_t>& from, HugeVector<std::uint32_t>& to) {
  const std::uint32_t begin = node.begin, end = node.end;
  branch_.resize(std::max(branch_.size(), from.size() / 16 + 1 + from.size() / kBlock));
  const std::uint32_t n_blocks = (end - begin + kBlock - 1) / kBlock;
  std::vector<std::uint32_t> second(n_blocks + 1, 0);
  workers_.run(n_blocks, [&](std::size_t block, int) {
    const std::uint32_t first = begin + static_cast<std::uint32_t>(block) * kBlock, n = std::min(kBlock, end - first);
    second[block + 1] = find_block(column, node, from.data() + first, n, branch_.data() + block * (kBlock / 16));
  });
  for (std::uint32_t block = 0; block < n_blocks; ++block) second[block + 1] += second[block];
  const std::uint32_t middle = end - second[n_blocks];
  workers_.run(n_blocks, [&](std::size_t block, int) {
    const std::uint32_t first = begin + static_cast<std::uint32_t>(block) * kBlock,
                        last = std::min(end, first + kBlock);
    move_rows(from.data() + first, last - first, branch_.data() + block * (kBlock / 16),
              {to.data() + (first - second[block]), to.data() + (middle + second[block])});
  });
  return middle;
}

}  // namespace tw
