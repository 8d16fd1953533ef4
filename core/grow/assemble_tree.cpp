#include "grow/assemble_tree.hpp"

#include <limits>  // for numeric_limits
#include <queue>   // for priority_queue

#include "grow/exact/lists.hpp"
#include "grow/finish_tree.hpp"

namespace tw {
namespace {

struct Place {
  const Arena* arena;
  const GrowingNode* node;
};

Place follow_subtree(const std::vector<Arena>& arenas, Place place) {
  while (place.node->subtree >= 0) {
    const Arena& next = arenas[place.node->subtree];
    place = {&next, &next.nodes[0]};
  }
  return place;
}

class Writer {
 public:
  Writer(const Target& target, const Recipe& recipe, std::int32_t n_columns) : target_(target), recipe_(recipe) {
    tree_.n_columns = n_columns;
    tree_.n_classes = static_cast<std::int32_t>(target.n_classes);
    tree_.level_start.push_back(0);
    if (target.n_classes) tree_.count_start.push_back(0);
  }

  void add(const Place& place) {
    const GrowingNode& s = *place.node;
    const bool leaf = s.kind == CutKind::none;
    tree_.n_children.push_back(static_cast<std::uint16_t>(s.n_children));
    tree_.kind.push_back(static_cast<std::uint8_t>(leaf                           ? TestKind::leaf
                                                   : s.kind == CutKind::threshold ? TestKind::threshold
                                                                                  : TestKind::levels));
    tree_.column.push_back(leaf ? -1 : s.column);
    tree_.threshold.push_back(s.kind == CutKind::threshold ? s.threshold : std::numeric_limits<double>::quiet_NaN());
    tree_.missing_branch.push_back(leaf ? -1 : s.missing_branch);
    for (std::uint32_t k = 0; k < s.n_levels; ++k) {
      tree_.level.push_back(place.arena->levels[s.level_begin + k].code);
      tree_.level_branch.push_back(place.arena->levels[s.level_begin + k].branch);
    }
    tree_.level_start.push_back(static_cast<std::int64_t>(tree_.level.size()));
    tree_.n_rows.push_back(s.rows);
    tree_.weight.push_back(double(s.a) * target_.weight_unit);
    tree_.impurity.push_back(s.impurity);
    if (target_.n_classes)
      add_counts(place);
    else
      tree_.value.push_back(s.value);
    if (keeps_lists()) add_lists(place, leaf);
  }

  Tree finish() {
    tree_.find_shape();
    if (keeps_lists()) tree_.extras.emplace_back("improvement", std::move(improvement_));
    surrogates_.move_into(tree_);
    competitors_.move_into(tree_);
    tree_.read_lists();
    add_gains(tree_);
    if (target_.n_classes) add_predictions(tree_);
    return std::move(tree_);
  }

 private:
  bool keeps_lists() const { return recipe_.surrogates.asked || recipe_.competitors > 0; }

  void add_lists(const Place& place, bool leaf) {
    const GrowingNode& s = *place.node;
    improvement_.push_back(leaf ? std::numeric_limits<double>::quiet_NaN() : s.improvement);
    for (std::uint32_t k = 0; k < s.n_surrogates; ++k) surrogates_.add(place.arena->surrogates[s.surrogate_begin + k]);
    surrogates_.end_node();
    for (std::uint32_t k = 0; k < s.n_competitors; ++k)
      competitors_.add(place.arena->competitors[s.competitor_begin + k]);
    competitors_.end_node();
  }

  void add_counts(const Place& place) {
    const GrowingNode& s = *place.node;
    auto add_count = [&](std::uint32_t k, std::int64_t weight) {
      if (weight == 0) return;
      tree_.count_class.push_back(k);
      tree_.count_weight.push_back(double(weight) * target_.weight_unit);
    };
    if (target_.n_classes <= 2) {
      add_count(0, s.a - s.b);
      add_count(1, s.b);
    } else {
      for (std::uint32_t k = 0; k < s.n_counts; ++k) {
        const ClassWeight& c = place.arena->counts[s.count_begin + k];
        add_count(c.class_index, c.weight);
      }
    }
    tree_.count_start.push_back(static_cast<std::int64_t>(tree_.count_class.size()));
  }

  const Target& target_;
  const Recipe& recipe_;
  Tree tree_;
  SurrogateLists surrogates_;
  CompetitorLists competitors_;
  std::vector<double> improvement_;
};

}  // namespace

Tree assemble_tree(const std::vector<Arena>& arenas, const Target& target, const Recipe& recipe,
                   std::int32_t n_columns) {
  Writer writer(target, recipe, n_columns);
  std::vector<Place> open{follow_subtree(arenas, {&arenas[0], &arenas[0].nodes[0]})};
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    writer.add(place);
    for (std::uint32_t b = place.node->n_children; b-- > 0;)
      open.push_back(follow_subtree(arenas, {place.arena, &place.arena->nodes[place.node->first_child + b]}));
  }
  return writer.finish();
}

Tree keep_best_leaves(const Tree& tree, std::int64_t max_leaves) {
  struct Open {
    std::int64_t decrease;  // quantised, so that equal decreases are equal whatever the rounding
    std::int32_t node;
    bool operator<(const Open& o) const { return decrease != o.decrease ? decrease < o.decrease : node > o.node; }
  };
  std::priority_queue<Open> open;
  const double all = tree.weight[0] * tree.impurity[0];
  auto push = [&](std::int32_t node) {
    if (tree.n_children[node] == 0) return;
    const double share = all > 0 ? tree.weight[node] * tree.gain[node] / all : 0;
    open.push({static_cast<std::int64_t>(share * 1099511627776.0 + 0.5), node});
  };
  std::vector<std::uint8_t> becomes_leaf(tree.size(), 1);
  std::int64_t leaves = 1;
  push(0);
  while (!open.empty()) {
    const std::int32_t node = open.top().node;
    open.pop();
    if (leaves + tree.n_children[node] - 1 > max_leaves) continue;
    leaves += tree.n_children[node] - 1;
    becomes_leaf[node] = 0;
    for (std::int32_t b = 0; b < tree.n_children[node]; ++b) push(tree.child(node, b));
  }
  return cut_at(tree, becomes_leaf);
}

}  // namespace tw
