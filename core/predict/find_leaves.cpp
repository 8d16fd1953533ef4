#include "predict/find_leaves.hpp"

#include <algorithm>  // for min

#include "predict/walk.hpp"

namespace tw {
namespace {
constexpr std::size_t kRowsPerTask = 4096;
}

void find_leaves(const Tree& tree, const Frame& frame, std::int32_t* leaf_of, Workers& workers) {
  const std::size_t n_tasks = (frame.n_rows + kRowsPerTask - 1) / kRowsPerTask;
  workers.run(n_tasks, [&](std::size_t task, int) {
    const std::size_t begin = task * kRowsPerTask, end = std::min(frame.n_rows, begin + kRowsPerTask);
    for (std::size_t row = begin; row < end; ++row)
      leaf_of[row] = find_leaf(tree, [&](std::int32_t column) { return frame.columns[column].at(row); });
  });
}

}  // namespace tw
