#include "prune/reduced_error_in_pieces.hpp"

#include <utility>  // for pair
#include <vector>   // for vector

#include "grow/finish_tree.hpp"
#include "prune/live_tree.hpp"
#include "prune/row_divider.hpp"

namespace tw {
namespace {

// The weight of the kept rows that each node gets wrong as a leaf.
std::vector<double> kept_errors(const Tree& tree, RowDivider& divider, double unit, std::span<const std::uint32_t> kept,
                                Workers& workers) {
  std::vector<double> errors(tree.size(), 0);
  std::vector<std::pair<std::int32_t, Segment>> open{{0, divider.add(kept)}};
  while (!open.empty()) {
    workers.checkpoint();
    const auto [node, rows] = open.back();
    open.pop_back();
    errors[node] = double(divider.wrong(rows, tree.prediction[node])) * unit;
    if (tree.n_children[node] == 0) continue;
    const std::vector<Segment> parts = divider.divide_as_grown(node, rows);
    for (std::size_t b = 0; b < parts.size(); ++b)
      open.push_back({tree.child(node, static_cast<std::int32_t>(b)), parts[b]});
  }
  return errors;
}

}  // namespace

Tree prune_by_kept_rows(const Tree& grown_tree, const Table& table, const Target& target,
                        std::span<const std::uint32_t> grown, std::span<const std::uint32_t> kept, const Recipe& recipe,
                        Workers& workers) {
  std::int64_t weight = 0;
  bool has_missing = false;
  for (const std::uint32_t row : grown) weight += target.weight_of(row);
  for (const Column& column : table.columns) has_missing |= column.has_missing;
  const Weighing weighing(target, weight, has_missing);
  Tree tree = grown_tree;
  answer_first_class(tree);
  RowDivider divider(tree, table, weighing);
  const std::vector<double> as_leaf = kept_errors(tree, divider, weighing.unit, kept, workers);
  LiveTree live(tree, weighing);
  std::vector<double> errors = as_leaf;
  for (auto node = static_cast<std::int32_t>(tree.size()); node-- > 0;) {
    if (live.is_leaf(node)) continue;
    double below = 0;
    for (std::int32_t b = 0; b < live.n_children(node); ++b) below += errors[live.child(node, b)];
    if (as_leaf[node] <= below + 1e-6)
      live.become_leaf(node);
    else
      errors[node] = below;
  }
  Tree result = live.write(recipe);
  answer_first_class(result);
  return result;
}

}  // namespace tw
