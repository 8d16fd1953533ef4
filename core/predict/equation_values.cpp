#include "predict/equation_values.hpp"

#include <vector>  // for vector

#include "predict/find_leaves.hpp"

namespace tw {
namespace {

constexpr std::size_t kChunk = 1024;

template <class ValueOfRow>
void in_chunks(std::size_t n_rows, double* to, Workers& workers, ValueOfRow value_of_row) {
  workers.run((n_rows + kChunk - 1) / kChunk, [&](std::size_t chunk, int) {
    for (std::size_t row = chunk * kChunk; row < std::min(n_rows, (chunk + 1) * kChunk); ++row)
      to[row] = value_of_row(row);
  });
}

}  // namespace

void equation_values(const Tree& tree, const Frame& frame, double* value_of_row, Workers& workers) {
  const Equations equations(tree);
  const auto at_node = [&](std::size_t row, std::int32_t node) {
    return equations.value(static_cast<std::size_t>(node),
                           [&](std::int32_t column) { return frame.columns[column].at(row); });
  };
  if (!tree.spreads()) {
    std::vector<std::int32_t> leaves(frame.n_rows);
    find_leaves(tree, frame, leaves.data(), workers);
    return in_chunks(frame.n_rows, value_of_row, workers, [&](std::size_t row) { return at_node(row, leaves[row]); });
  }
  const LeafShares found = find_leaf_shares(tree, frame, workers);
  in_chunks(frame.n_rows, value_of_row, workers, [&](std::size_t row) {
    double sum = 0;
    for (auto k = found.start[row]; k < found.start[row + 1]; ++k) sum += found.share[k] * at_node(row, found.node[k]);
    return sum;
  });
}

}  // namespace tw
