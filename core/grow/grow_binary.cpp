// grow_binary: choose the search that fits target and criterion, grow large nodes from bucket tables and small ones
// from sorted lists, and put the pieces together in preorder.
#include "grow/grow_binary.hpp"

#include <algorithm>  // for clamp, sort
#include <memory>     // for unique_ptr
#include <utility>    // for pair

#include "base/error.hpp"
#include "grow/absolute_block.hpp"
#include "grow/assemble_tree.hpp"
#include "grow/block_grower.hpp"
#include "grow/class_block.hpp"
#include "grow/large_nodes.hpp"
#include "grow/pair_block.hpp"
#include "grow/row_summaries.hpp"

namespace tw {
namespace {

constexpr std::size_t kBlockBytes = 1'500'000;
constexpr std::size_t kNarrowTableBytes = 2'000'000;

struct Growth {
  const Table& table;
  const Target& target;
  const Recipe& recipe;
  Workers& workers;
  std::vector<std::uint32_t> rows;
  double root_weight;
};

// Grows the blocks handed out by the top of a tree, one thread each; arenas[g] is the subtree of graft g.
template <class Search, class RowsOf>
void grow_blocks(Growth& growth, std::size_t n_jobs, RowsOf rows_of, std::vector<Arena>& arenas) {
  using Grower = BlockGrower<std::uint32_t, Search>;
  arenas.resize(n_jobs + 1);
  std::vector<std::unique_ptr<Grower>> growers(growth.workers.size());
  growth.workers.run(n_jobs, [&](std::size_t j, int worker) {
    auto& grower = growers[worker];
    if (!grower)
      grower = std::make_unique<Grower>(growth.table, growth.target, growth.recipe, growth.workers, growth.root_weight);
    auto [rows, depth] = rows_of(j);
    arenas[j + 1] = grower->grow(std::move(rows), depth);
  });
}

// Sorted lists from the root on: wide words for a large table, whose smaller subtrees then move into narrow ones.
template <class Search>
std::vector<Arena> grow_from_lists(Growth& growth) {
  std::vector<Arena> arenas(1);
  if (growth.rows.size() <= WordParts<std::uint32_t>::kMaxRows) {
    std::vector<std::uint32_t> rows = std::move(growth.rows);
    BlockGrower<std::uint32_t, Search> grower(growth.table, growth.target, growth.recipe, growth.workers,
                                              growth.root_weight);
    arenas[0] = grower.grow(std::move(rows), 0);
    return arenas;
  }
  using Top = BlockGrower<std::uint64_t, Search>;
  typename Top::HandedOut handed_out;
  handed_out.limit = WordParts<std::uint32_t>::kMaxRows / 2;
  {
    Top top(growth.table, growth.target, growth.recipe, growth.workers, growth.root_weight);
    arenas[0] = top.grow(std::move(growth.rows), 0, &handed_out);
  }
  grow_blocks<Search>(
      growth, handed_out.jobs.size(), [&](std::size_t j) { return std::move(handed_out.jobs[j]); }, arenas);
  return arenas;
}

// The lists of a block should stay in a processor's second-level cache.
std::uint32_t choose_block_rows(const Growth& growth) {
  if (growth.table.n_rows <= kOneBlockRows) return kOneBlockRows;
  if (growth.recipe.block_rows) return std::min(growth.recipe.block_rows, WordParts<std::uint32_t>::kMaxRows);
  const std::size_t list_bytes = sizeof(std::uint32_t) * std::max<std::size_t>(1, growth.table.columns.size());
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kBlockBytes / list_bytes, 2048, WordParts<std::uint32_t>::kMaxRows));
}

// A subtree by one set of threads: large nodes from tables of counts, then every block whole. In what comes back,
// arenas[g] is the subtree of the sprout with graft g.
template <class Criterion, class Payload>
std::vector<Arena> grow_subtree(const Growth& growth, std::vector<std::uint32_t> rows, std::uint32_t depth,
                                Workers& workers) {
  using Search = PairBlock<Criterion, Payload>;
  std::vector<BlockJob> jobs;
  LargeNodes<Criterion, Payload> large(growth.table, growth.target, growth.recipe, workers, rows,
                                       choose_block_rows(growth), growth.root_weight);
  std::vector<Arena> arenas(1);
  arenas[0] = large.grow(depth, jobs);
  BlockGrower<std::uint32_t, Search> grower(growth.table, growth.target, growth.recipe, workers, growth.root_weight);
  for (const BlockJob& job : jobs) {
    const auto begin = rows.begin() + job.begin;
    arenas.push_back(grower.grow({begin, begin + job.n}, job.depth));
  }
  return arenas;
}

// Puts the arenas of every job behind those of the top and lets the grafts point to where they are now.
std::vector<Arena> join(Arena top, std::vector<std::vector<Arena>> parts) {
  std::vector<Arena> arenas(1);
  std::vector<std::int32_t> first_of_job;
  for (auto& part : parts) {
    const auto offset = static_cast<std::int32_t>(arenas.size());
    first_of_job.push_back(offset);
    for (Arena& arena : part) {
      for (Sprout& s : arena.sprouts)
        if (s.graft >= 0) s.graft += offset;
      arenas.push_back(std::move(arena));
    }
  }
  for (Sprout& s : top.sprouts)
    if (s.graft >= 0) s.graft = first_of_job[s.graft - 1];
  arenas[0] = std::move(top);
  return arenas;
}

// Several threads: they share the work inside the few largest nodes, and then every subtree belongs to one of them.
template <class Criterion, class Payload>
std::vector<Arena> grow_pairs(Growth& growth) {
  if (growth.recipe.stand_ins.asked || growth.recipe.competitors > 0)  // these need every column in order at every node
    return grow_from_lists<PairBlock<Criterion, Payload>>(growth);
  const std::size_t n = growth.rows.size(), list_bytes = n * growth.table.columns.size() * sizeof(std::uint64_t);
  if (n > choose_block_rows(growth) && list_bytes <= kNarrowTableBytes && growth.recipe.block_rows == 0)
    return grow_from_lists<PairBlock<Criterion, Payload>>(growth);  // few columns: wide lists are cheaper than tables
  Workers& workers = growth.workers;
  if (workers.size() == 1) return grow_subtree<Criterion, Payload>(growth, std::move(growth.rows), 0, workers);
  std::vector<BlockJob> jobs;
  LargeNodes<Criterion, Payload> large(growth.table, growth.target, growth.recipe, workers, growth.rows,
                                       choose_block_rows(growth), growth.root_weight);
  large.hand_out_below(static_cast<std::uint32_t>(n / (2 * workers.size())));
  Arena top = large.grow(0, jobs);
  std::vector<std::size_t> order(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) order[j] = j;
  std::sort(order.begin(), order.end(), [&](auto x, auto y) { return jobs[x].n > jobs[y].n; });  // largest first
  std::vector<std::vector<Arena>> parts(jobs.size());
  workers.run(jobs.size(), [&](std::size_t i, int) {
    const BlockJob& job = jobs[order[i]];
    const auto begin = growth.rows.begin() + job.begin;
    Workers alone(1, [&] { return workers.stop_asked(); });
    parts[order[i]] = grow_subtree<Criterion, Payload>(growth, {begin, begin + job.n}, job.depth, alone);
  });
  return join(std::move(top), std::move(parts));
}

template <class Criterion>
std::vector<Arena> grow_two_classes(Growth& growth) {
  return growth.target.unit_weights() ? grow_pairs<Criterion, ClassByRow>(growth)
                                      : grow_pairs<Criterion, WeightedValues>(growth);
}

template <class Criterion>
std::vector<Arena> grow_numbers(Growth& growth) {
  return growth.target.unit_weights() ? grow_pairs<Criterion, UnitValues>(growth)
                                      : grow_pairs<Criterion, WeightedValues>(growth);
}

std::vector<Arena> grow_arenas(Growth& growth) {
  const bool two = growth.target.n_classes <= 2;
  switch (growth.recipe.criterion) {
    case CriterionName::gini:
      if (two) return grow_two_classes<PairGini>(growth);
      return growth.root_weight < 2147483648.0 ? grow_from_lists<ClassBlock<NarrowClassGini>>(growth)
                                               : grow_from_lists<ClassBlock<WideClassGini>>(growth);
    case CriterionName::entropy:
      return two ? grow_two_classes<PairEntropy>(growth) : grow_from_lists<ClassBlock<ClassEntropy>>(growth);
    case CriterionName::error:
      return two ? grow_two_classes<PairError>(growth) : grow_from_lists<ClassBlock<ClassError>>(growth);
    case CriterionName::twoing:  // with two classes twoing is half the gini gain
      return two ? grow_two_classes<PairGini>(growth) : grow_from_lists<ClassBlock<ClassTwoing>>(growth);
    case CriterionName::hellinger:
      return two ? grow_two_classes<PairHellinger>(growth) : grow_from_lists<ClassBlock<ClassHellinger>>(growth);
    case CriterionName::squared_error:
      return grow_numbers<PairSquaredError>(growth);
    case CriterionName::poisson:
      return grow_numbers<PairPoisson>(growth);
    case CriterionName::absolute_error:
      return grow_from_lists<AbsoluteBlock>(growth);
  }
  throw BadInput("unknown criterion");
}

// Of a numeric target, by its criterion and per unit of weight; unlike the impurity it never overflows.
double root_spread(const Target& target, std::span<const std::uint32_t> rows, const Recipe& recipe, Workers& workers) {
  Sprout root;
  if (recipe.criterion != CriterionName::absolute_error) {
    RowSummaries(target, recipe, workers).describe(root, rows);
    return root.spread / double(root.a);
  }
  Arena arena;
  AbsoluteBlock block(target, recipe);
  std::vector<std::uint32_t> block_rows(rows.begin(), rows.end());
  block.number_rows(block_rows);
  std::vector<std::uint64_t> words;
  for (std::uint32_t i = 0; i < rows.size(); ++i) words.push_back(make_word<std::uint64_t>(0, i));
  block.describe(root, arena, words.data(), static_cast<std::uint32_t>(rows.size()), block_rows);
  return root.spread / double(root.a);
}

}  // namespace

Tree grow_binary(const Table& table, const Target& target, std::span<const std::uint32_t> rows, const Recipe& asked,
                 Workers& workers) {
  if (rows.empty()) throw BadInput("no row has a weight above zero");
  Recipe recipe = asked;
  if (recipe.stop.min_variance_share > 0 && target.is_regression())
    recipe.stop.small_spread =
        recipe.stop.min_variance_share * root_spread(target, rows, recipe, workers) * kShareSlack;
  std::int64_t root_weight = 0;
  for (auto row : rows) root_weight += target.weight_of(row);
  Growth growth{table, target, recipe, workers, {rows.begin(), rows.end()}, double(root_weight)};
  Tree tree = assemble_tree(grow_arenas(growth), target, recipe, static_cast<std::int32_t>(table.columns.size()));
  if (recipe.stop.max_leaves < static_cast<std::int64_t>(tree.size()))
    tree = keep_best_leaves(tree, recipe.stop.max_leaves);
  return tree;
}

}  // namespace tw
