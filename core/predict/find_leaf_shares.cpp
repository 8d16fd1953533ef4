#include "predict/find_leaf_shares.hpp"

#include <algorithm>  // for min

#include "predict/find_leaves.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowsPerTask = 2048;

}  // namespace

LeafShares find_leaf_shares(const Tree& tree, const Frame& frame, Workers& workers) {
  const std::size_t n_tasks = (frame.n_rows + kRowsPerTask - 1) / kRowsPerTask;
  std::vector<LeafShares> parts(n_tasks);
  workers.run(n_tasks, [&](std::size_t task, int) {
    std::vector<Piece> open;
    LeafShares& part = parts[task];
    for (std::size_t row = task * kRowsPerTask, end = std::min(frame.n_rows, row + kRowsPerTask); row < end; ++row) {
      follow(tree, [&](std::int32_t column) { return frame.columns[column].at(row); }, open, part);
      part.start.push_back(static_cast<std::int64_t>(part.node.size()));
    }
  });
  LeafShares all;
  all.start.push_back(0);
  for (const LeafShares& part : parts) {
    const auto offset = static_cast<std::int64_t>(all.node.size());
    for (const std::int64_t end : part.start) all.start.push_back(offset + end);
    all.node.insert(all.node.end(), part.node.begin(), part.node.end());
    all.share.insert(all.share.end(), part.share.begin(), part.share.end());
  }
  return all;
}

}  // namespace tw
