#include "explain/met_tests.hpp"

#include "explain/compare_block.hpp"
#include "predict/walk.hpp"

namespace tw {
namespace {

bool has_surrogates(const Tree& tree, std::size_t node) {
  return !tree.surrogate_start.empty() && tree.surrogate_start[node] < tree.surrogate_start[node + 1];
}

// Rows that the test itself does not tell: to the branch of missing values, or apart.
void send_unknown(const Tree& tree, std::size_t node, std::uint32_t unknown, std::uint32_t* branches,
                  std::uint32_t& apart) {
  if (has_surrogates(tree, node) || tree.missing_branch[node] < 0)
    apart |= unknown;
  else
    branches[tree.missing_branch[node]] |= unknown;
}

// Rows of any kind of test, one by one.
std::uint32_t send_rows(const Tree& tree, std::size_t node, const RowChunk& rows, std::size_t block,
                        std::uint32_t* branches) {
  std::uint32_t unknown = 0;
  for (std::size_t i = 0; i < kBlockRows; ++i) {
    const std::int32_t branch =
        branch_of_test(tree, node, [&](std::int32_t column) { return rows.values(column, block)[i]; });
    (branch < 0 ? unknown : branches[branch]) |= std::uint32_t{1} << i;
  }
  return unknown;
}

}  // namespace

void MetTests::find(const GameTree& game, const RowChunk& rows, std::size_t block) {
  const Tree& tree = game.tree;
  met.resize(tree.size());
  met[0] = ~std::uint32_t{0};
  apart = tree.equation_start.empty() ? 0 : met[0];
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::size_t n = tree.n_children[i];
    if (n == 0) continue;
    branches_.assign(n, 0);
    std::uint32_t unknown;
    if (tree.kind[i] == static_cast<std::uint8_t>(TestKind::threshold)) {
      const std::uint32_t known = rows.known(tree.column[i], block);
      branches_[0] = at_most(rows.values(tree.column[i], block), tree.threshold[i]);
      if (n > 1) branches_[1] = known & ~branches_[0];
      unknown = ~known;
    } else {
      unknown = send_rows(tree, i, rows, block, branches_.data());
    }
    send_unknown(tree, i, unknown, branches_.data(), apart);
    for (std::size_t b = 0; b < n; ++b) {
      const std::int32_t child = tree.child(i, static_cast<std::int32_t>(b));
      met[child] = branches_[b] & met[game.edges.upper[child]];
    }
  }
}

}  // namespace tw
