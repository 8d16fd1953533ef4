#include "ensemble/add_answers.hpp"

#include <algorithm>  // for copy, max, min
#include <variant>    // for visit

#include "ensemble/leaf_votes.hpp"
#include "ensemble/small_shape.hpp"
#include "ensemble/walk_coded.hpp"

namespace tw {
namespace {

static_assert(ColumnCoder::kCodePadding <= kWalkPadding);

// A block's codes stay in the second cache beside a large tree, which is then fetched once a block; beside small trees
// they stay in the first. Blocks have a power of two rows, and there are some for every thread.
int block_shift(const Ensemble& ensemble, std::size_t n_rows, int threads) {
  constexpr std::size_t kSmallTree = 2048;  // nodes
  const bool small = ensemble.n_nodes() <= kSmallTree * ensemble.trees.size();
  const std::size_t codes = small ? 16 * 1024 : 512 * 1024, columns = static_cast<std::size_t>(ensemble.n_columns) + 1;
  int shift = 8;
  while (shift < 13 && columns << (shift + 1) <= codes && std::size_t{4} * threads << shift < n_rows) ++shift;
  return shift;
}

struct Scratch {
  std::vector<std::uint16_t> narrow;
  std::vector<std::uint32_t> wide, leaves;
};

template <class Code>
std::vector<Code>& codes_of(Scratch& scratch) {
  if constexpr (sizeof(Code) == 2)
    return scratch.narrow;
  else
    return scratch.wide;
}

// The rows begin … begin + n − 1 through the trees of a group; at_tree(tree, leaves) is told where they end.
template <class Node, class AtTree>
void walk_block(const CodedGroup<Node>& group, Trees trees, const Frame& frame, std::size_t begin, std::size_t n,
                int shift, Scratch& scratch, AtTree&& at_tree) {
  const std::size_t first = std::max(trees.first, group.first_tree);
  const std::size_t last = std::min(trees.last, group.first_tree + group.n_trees());
  if (first >= last) return;
  auto& codes = codes_of<typename Node::Code>(scratch);
  codes.resize((std::max<std::size_t>(1, group.coders.size()) << shift) + kWalkPadding);
  for (std::size_t c = 0; c < group.coders.size(); ++c)
    group.coders[c].code_rows(frame.columns[group.coders[c].column()], begin, n, codes.data() + (c << shift));
  const CodedRows<typename Node::Code> rows{codes.data(), shift, n};
  scratch.leaves.resize(n + kWalkPadding);
  for (std::size_t tree = first; tree < last; ++tree) {
    walk_rows(group, tree - group.first_tree, rows, scratch.leaves.data());
    at_tree(tree, scratch.leaves.data());
  }
}

// Calls at_tree(tree, first row, rows, leaves) for each block of rows and every tree, the trees in order.
template <class AtTree>
void walk_all(const Ensemble& ensemble, Trees trees, const Frame& frame, Workers& workers, AtTree&& at_tree) {
  const CodedTrees& coded = ensemble.coded();
  const int shift = block_shift(ensemble, frame.n_rows, workers.size());
  const std::size_t per_block = std::size_t{1} << shift;
  std::vector<Scratch> scratch(static_cast<std::size_t>(workers.size()));
  workers.run((frame.n_rows + per_block - 1) / per_block, [&](std::size_t block, int worker) {
    const std::size_t begin = block * per_block, n = std::min(per_block, frame.n_rows - begin);
    for (const CodedTrees::Group& any : coded.groups()) {
      if (workers.stop_asked()) return;
      std::visit(
          [&](const auto& group) {
            walk_block(group, trees, frame, begin, n, shift, scratch[static_cast<std::size_t>(worker)],
                       [&](std::size_t tree, const std::uint32_t* leaves) { at_tree(tree, begin, n, leaves); });
          },
          any);
    }
  });
  workers.checkpoint();
}

// AddLeaf: add(tree, leaf, sums of the row).
template <class AddLeaf>
void add_all(const Ensemble& ensemble, Trees trees, const Frame& frame, const AnswerSums& to, Workers& workers,
             AddLeaf&& add) {
  walk_all(ensemble, trees, frame, workers,
           [&](std::size_t tree, std::size_t begin, std::size_t n, const std::uint32_t* leaves) {
             double* sums = to.sums + begin * to.n_outputs;
             for (std::size_t i = 0; i < n; ++i) add(tree, leaves[i], sums + i * to.n_outputs);
             const std::size_t done = tree + 1 - trees.first;
             if (!to.stages || done % to.per_stage != 0) return;
             double* stage = to.stages + (done / to.per_stage - 1) * frame.n_rows * to.n_outputs;
             std::copy(sums, sums + n * to.n_outputs, stage + begin * to.n_outputs);
           });
}

}  // namespace

void add_answers(const Ensemble& ensemble, Answer answer, Trees trees, const Frame& frame, const AnswerSums& to,
                 Workers& workers) {
  if (answer == Answer::values) {
    return add_all(ensemble, trees, frame, to, workers, [&](std::size_t tree, std::uint32_t leaf, double* sums) {
      sums[tree % to.n_outputs] += ensemble.trees[tree].value[leaf];
    });
  }
  const LeafVotes& said = answer == Answer::votes ? ensemble.leaf_votes() : ensemble.leaf_shares();
  add_all(ensemble, trees, frame, to, workers,
          [&](std::size_t tree, std::uint32_t leaf, double* sums) { said.add(tree, leaf, sums); });
}

void find_nodes(const Ensemble& ensemble, Trees trees, const Frame& frame, std::int32_t* nodes, Workers& workers) {
  const std::size_t n_trees = trees.last - trees.first;
  std::vector<std::vector<std::int32_t>> node_of(n_trees);  // by the number of the leaf
  for (std::size_t t = 0; t < n_trees; ++t) {
    const std::vector<std::uint8_t>& test = ensemble.trees[trees.first + t].test;
    for (std::size_t i = 0; i < test.size(); ++i)
      if (is_leaf(test[i])) node_of[t].push_back(static_cast<std::int32_t>(i));
  }
  walk_all(ensemble, trees, frame, workers,
           [&](std::size_t tree, std::size_t begin, std::size_t n, const std::uint32_t* leaves) {
             const std::size_t t = tree - trees.first;
             for (std::size_t i = 0; i < n; ++i) nodes[(begin + i) * n_trees + t] = node_of[t][leaves[i]];
           });
}

}  // namespace tw
