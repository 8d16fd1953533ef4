// grow_binary: choose the search that fits target and criterion, grow large nodes from bucket tables and small ones
// from sorted lists, and put the pieces together in preorder.
#include "grow/exact/grow_binary.hpp"

#include <algorithm>  // for clamp, min, sort, stable_sort
#include <memory>     // for unique_ptr
#include <utility>    // for pair

#include "base/error.hpp"
#include "grow/assemble_tree.hpp"
#include "grow/exact/block_grower.hpp"
#include "grow/exact/criterion_engine.hpp"
#include "grow/exact/grow_part.hpp"
#include "grow/exact/row_summaries.hpp"

namespace tw {
namespace {

constexpr std::size_t kBlockBytes = 1'500'000;
constexpr std::size_t kNarrowTableBytes = 2'000'000;
constexpr std::uint32_t kFewestToShare = 4096;  // rows whose subtrees are worth a thread

struct Growth : GrowthInputs {
  const CriterionEngine& engine;
  std::vector<std::uint32_t> rows;
  std::uint32_t depth = 0;  // of the node that all of the rows are

  std::unique_ptr<BlockGrower<std::uint32_t>> narrow_grower(Workers& by) const {
    return std::make_unique<BlockGrower<std::uint32_t>>(GrowthInputs{table, target, recipe, by, root_weight},
                                                        engine.narrow_search(target, recipe));
  }
  std::unique_ptr<LargeNodeGrower> large_nodes(std::vector<std::uint32_t>& of, Workers& by) const;
};

// The lists of a block should stay in a processor's second-level cache.
std::uint32_t choose_block_rows(const Growth& growth) {
  if (growth.table.n_rows <= kOneBlockRows) return kOneBlockRows;
  if (growth.recipe.block_rows) return std::min(growth.recipe.block_rows, WordParts<std::uint32_t>::kMaxRows);
  const std::size_t list_bytes = sizeof(std::uint32_t) * std::max<std::size_t>(1, growth.table.columns.size());
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kBlockBytes / list_bytes, 2048, WordParts<std::uint32_t>::kMaxRows));
}

std::unique_ptr<LargeNodeGrower> Growth::large_nodes(std::vector<std::uint32_t>& of, Workers& by) const {
  return engine.large_nodes({table, target, recipe, by, root_weight}, of, choose_block_rows(*this));
}

// The top of a tree from sorted lists by all threads, then its subtrees of at most `limit` rows, each by one. In what
// comes back, arenas[g] is the subtree of the node with subtree g.
template <class Word>
std::vector<Arena> grow_top_first(Growth& growth, std::unique_ptr<BlockSearch<Word>> search, std::uint32_t limit) {
  BlockGrower<Word> top(growth, std::move(search));
  typename BlockGrower<Word>::HandedOut handed_out{limit, {}};
  std::vector<Arena> arenas(1);
  arenas[0] = top.grow(std::move(growth.rows), growth.depth, &handed_out);
  const auto& jobs = handed_out.jobs;
  arenas.resize(jobs.size() + 1);
  std::vector<std::size_t> order(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) order[j] = j;
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return jobs[x].n > jobs[y].n; });
  std::vector<std::unique_ptr<BlockGrower<std::uint32_t>>> growers(growth.workers.size());
  growth.workers.run(jobs.size(), [&](std::size_t i, int worker) {
    if (!growers[worker]) growers[worker] = growth.narrow_grower(growth.workers);
    arenas[order[i] + 1] = growers[worker]->grow_job(top, jobs[order[i]]);
  });
  return arenas;
}

// Sorted lists from the root on: wide words for a large table, whose smaller subtrees then move into narrow ones.
std::vector<Arena> grow_from_lists(Growth& growth) {
  const auto n = static_cast<std::uint32_t>(growth.rows.size()),
             threads = static_cast<std::uint32_t>(growth.workers.size());
  const bool share = threads > 1 && n > kFewestToShare;
  if (n > WordParts<std::uint32_t>::kMaxRows) {
    const std::uint32_t narrow = WordParts<std::uint32_t>::kMaxRows / 2;
    return grow_top_first(growth, growth.engine.wide_search(growth.target, growth.recipe),
                          share ? std::min(narrow, n / (2 * threads)) : narrow);
  }
  if (share)
    return grow_top_first(growth, growth.engine.narrow_search(growth.target, growth.recipe), n / (2 * threads));
  std::vector<Arena> arenas(1);
  arenas[0] = growth.narrow_grower(growth.workers)->grow(std::move(growth.rows), growth.depth);
  return arenas;
}

// A subtree by one set of threads: large nodes from tables of counts, then every block whole.
std::vector<Arena> grow_subtree(const Growth& growth, std::vector<std::uint32_t> rows, std::uint32_t depth,
                                Workers& workers) {
  std::vector<BlockJob> jobs;
  std::vector<Arena> arenas(1);
  arenas[0] = growth.large_nodes(rows, workers)->grow(depth, jobs);
  const auto grower = growth.narrow_grower(workers);
  for (const BlockJob& job : jobs) {
    const auto begin = rows.begin() + job.begin;
    arenas.push_back(grower->grow({begin, begin + job.n}, job.depth));
  }
  return arenas;
}

// Puts the arenas of every job behind those of the top and lets the subtrees point to where they are now.
std::vector<Arena> join(Arena top, std::vector<std::vector<Arena>> parts) {
  std::vector<Arena> arenas(1);
  std::vector<std::int32_t> first_of_job;
  for (auto& part : parts) {
    const auto offset = static_cast<std::int32_t>(arenas.size());
    first_of_job.push_back(offset);
    for (Arena& arena : part) {
      for (GrowingNode& s : arena.nodes)
        if (s.subtree >= 0) s.subtree += offset;
      arenas.push_back(std::move(arena));
    }
  }
  for (GrowingNode& s : top.nodes)
    if (s.subtree >= 0) s.subtree = first_of_job[s.subtree - 1];
  arenas[0] = std::move(top);
  return arenas;
}

// Several threads: they share the work inside the few largest nodes, and then every subtree belongs to one of them.
std::vector<Arena> grow_in_threads(Growth& growth) {
  Workers& workers = growth.workers;
  std::vector<BlockJob> jobs;
  const auto large = growth.large_nodes(growth.rows, workers);
  large->hand_out_below(static_cast<std::uint32_t>(growth.rows.size() / (2 * workers.size())));
  Arena top = large->grow(growth.depth, jobs);
  std::vector<std::size_t> order(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) order[j] = j;
  std::sort(order.begin(), order.end(), [&](auto x, auto y) { return jobs[x].n > jobs[y].n; });  // largest first
  std::vector<std::vector<Arena>> parts(jobs.size());
  workers.run(jobs.size(), [&](std::size_t i, int) {
    const BlockJob& job = jobs[order[i]];
    const auto begin = growth.rows.begin() + job.begin;
    Workers alone(1, [&] { return workers.stop_asked(); });
    parts[order[i]] = grow_subtree(growth, {begin, begin + job.n}, job.depth, alone);
  });
  return join(std::move(top), std::move(parts));
}

std::vector<Arena> grow_arenas(Growth& growth) {
  const Recipe& recipe = growth.recipe;
  const std::size_t n = growth.rows.size(), list_bytes = n * growth.table.columns.size() * sizeof(std::uint64_t);
  // Surrogates and competitors need every column in order at every node; with few columns wide lists are cheaper than
  // tables of counts.
  const bool needs_lists = recipe.surrogates.asked || recipe.competitors > 0;
  const bool narrow = n > choose_block_rows(growth) && list_bytes <= kNarrowTableBytes && recipe.block_rows == 0;
  if (needs_lists || narrow || !growth.large_nodes(growth.rows, growth.workers)) return grow_from_lists(growth);
  if (growth.workers.size() == 1) return grow_subtree(growth, std::move(growth.rows), growth.depth, growth.workers);
  return grow_in_threads(growth);
}

// Of a numeric target, by its criterion and per unit of weight; unlike the impurity it never overflows.
double root_spread(const Target& target, std::span<const std::uint32_t> rows, const Recipe& recipe, Workers& workers) {
  GrowingNode root;
  if (recipe.criterion != CriterionName::absolute_error) {
    RowSummaries(target, recipe, workers).describe(root, rows);
    return root.spread / double(root.a);
  }
  Arena arena;
  const auto block = absolute_error().wide_search(target, recipe);
  std::vector<std::uint32_t> block_rows(rows.begin(), rows.end());
  block->number_rows(block_rows);
  std::vector<std::uint64_t> words;
  for (std::uint32_t i = 0; i < rows.size(); ++i) words.push_back(make_word<std::uint64_t>(0, i));
  block->describe(root, arena, words.data(), static_cast<std::uint32_t>(rows.size()), block_rows);
  return root.spread / double(root.a);
}

}  // namespace

const CriterionEngine& engine_for(CriterionName criterion, const Target& target, double root_weight) {
  const bool unit_weights = target.unit_weights();
  if (!target.is_regression() && target.n_classes > 2) return class_engine(criterion, root_weight);
  switch (criterion) {
    case CriterionName::gini:
    case CriterionName::twoing:  // with two classes twoing is half the gini gain
      return pair_gini(unit_weights);
    case CriterionName::entropy:
      return pair_entropy(unit_weights);
    case CriterionName::error:
      return pair_error(unit_weights);
    case CriterionName::hellinger:
      return pair_hellinger(unit_weights);
    case CriterionName::squared_error:
      return pair_squared_error(unit_weights);
    case CriterionName::poisson:
      return pair_poisson(unit_weights);
    case CriterionName::absolute_error:
      return absolute_error();
  }
  throw BadInput("unknown criterion");
}

std::vector<Arena> grow_part(const GrowthInputs& in, std::span<const std::uint32_t> rows, std::uint32_t depth) {
  Growth growth{in, engine_for(in.recipe.criterion, in.target, in.root_weight), {rows.begin(), rows.end()}, depth};
  return grow_arenas(growth);
}

Tree grow_binary(const Table& table, const Target& target, std::span<const std::uint32_t> rows, const Recipe& asked,
                 Workers& workers) {
  if (rows.empty()) throw BadInput("no row has a weight above zero");
  Recipe recipe = asked;
  if (recipe.stop.min_variance_share > 0 && target.is_regression())
    recipe.stop.small_spread =
        recipe.stop.min_variance_share * root_spread(target, rows, recipe, workers) * kShareSlack;
  std::int64_t root_weight = 0;
  for (auto row : rows) root_weight += target.weight_of(row);
  const auto arenas = grow_part({table, target, recipe, workers, double(root_weight)}, rows, 0);
  Tree tree = assemble_tree(arenas, target, recipe, static_cast<std::int32_t>(table.columns.size()));
  if (recipe.stop.max_leaves < static_cast<std::int64_t>(tree.size()))
    tree = keep_best_leaves(tree, recipe.stop.max_leaves);
  return tree;
}

}  // namespace tw
