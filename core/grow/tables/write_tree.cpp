#include "grow/tables/write_tree.hpp"

#include <algorithm>  // for clamp
#include <limits>     // for numeric_limits

#include "base/error.hpp"
#include "grow/exact/lists.hpp"
#include "grow/finish_tree.hpp"

namespace tw {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Writer {
 public:
  Writer(const Weighing& weighing, const Recipe& recipe, std::int32_t n_columns, const std::vector<std::string>& extras)
      : weighing_(weighing), recipe_(recipe) {
    tree_.n_columns = n_columns;
    tree_.n_classes = static_cast<std::int32_t>(weighing.target->n_classes);
    tree_.level_start.push_back(0);
    if (tree_.n_classes) tree_.count_start.push_back(0);
    for (const std::string& name : extras) tree_.extras.emplace_back(name, std::vector<double>());
  }

  void add(const GrownNode& node) {
    add_test(node.split ? *node.split : leaf_);
    add_lists(node.split ? *node.split : leaf_);
    add_summary(node.sums, node.bounds);
    for (std::size_t e = 0; e < tree_.extras.size(); ++e)
      tree_.extras[e].second.push_back(e < node.extras.size() ? node.extras[e] : kNone);
  }

  Tree finish() {
    intervals_.move_into(tree_);
    terms_.move_into(tree_);
    surrogates_.move_into(tree_);
    tree_.find_shape();
    tree_.read_lists();
    add_gains(tree_);
    if (tree_.n_classes) add_predictions(tree_);
    return std::move(tree_);
  }

 private:
  void add_test(const Split& split) {
    const bool leaf = split.kind == TestKind::leaf;
    if (split.n_branches > 65535) throw BadInput("a split with more than 65,535 branches");
    tree_.n_children.push_back(leaf ? 0 : static_cast<std::uint16_t>(split.n_branches));
    tree_.kind.push_back(static_cast<std::uint8_t>(split.kind));
    tree_.column.push_back(leaf ? -1 : split.column);
    const bool cuts = split.kind == TestKind::threshold || split.kind == TestKind::hyperplane;
    tree_.threshold.push_back(cuts ? split.threshold : kNone);
    tree_.missing_branch.push_back(leaf ? kMissingStops : split.missing);
    for (const LevelBranch& level : split.kind == TestKind::levels ? split.levels : leaf_.levels) {
      tree_.level.push_back(level.code);
      tree_.level_branch.push_back(level.branch);
    }
    tree_.level_start.push_back(static_cast<std::int64_t>(tree_.level.size()));
  }

  void add_lists(const Split& split) {
    for (const double upper : split.uppers) intervals_.add({upper});
    for (const Term& t : split.terms) terms_.add({double(t.column), double(t.level), t.weight, t.filler, t.share});
    for (const Surrogate& surrogate : split.surrogates) surrogates_.add(surrogate);
    intervals_.end_node();
    terms_.end_node();
    surrogates_.end_node();
  }

  void add_summary(const Sums& sums, const Bounds& bounds) {
    tree_.n_rows.push_back(sums.rows);
    tree_.weight.push_back(double(sums.weight) * weighing_.unit);
    tree_.impurity.push_back(node_impurity(recipe_.criterion, sums, weighing_));
    if (!tree_.n_classes) return tree_.value.push_back(std::clamp(node_mean(sums, weighing_), bounds.low, bounds.high));
    for (std::uint32_t k = 0; k < sums.classes.size(); ++k) add_class(k, weight_of(k, sums, bounds));
    tree_.count_start.push_back(static_cast<std::int64_t>(tree_.count_class.size()));
  }

  void add_class(std::uint32_t k, double weight) {
    if (weight <= 0) return;
    tree_.count_class.push_back(k);
    tree_.count_weight.push_back(weight);
  }

  // Of a class; where the share of the second is out of bounds, so much as the nearer bound says.
  double weight_of(std::uint32_t k, const Sums& sums, const Bounds& bounds) const {
    const double own = double(sums.classes[k]) * weighing_.unit, weight = double(sums.weight) * weighing_.unit;
    if (sums.classes.size() != 2 || sums.weight <= 0) return own;
    const double second = double(sums.classes[1]) / double(sums.weight);
    const double kept = std::clamp(second, bounds.low, bounds.high);
    return kept == second ? own : weight * (k == 1 ? kept : 1 - kept);
  }

  const Weighing& weighing_;
  const Recipe& recipe_;
  Tree tree_;
  const Split leaf_ = [] {
    Split split;
    split.kind = TestKind::leaf;
    return split;
  }();
  ListWriter intervals_{"interval", {"upper"}};
  ListWriter terms_{"term", {"column", "level", "weight", "filler", "share"}};
  SurrogateLists surrogates_;
};

}  // namespace

Tree write_tree(const std::vector<GrownNode>& nodes, const Weighing& weighing, const Recipe& recipe,
                std::int32_t n_columns, const std::vector<std::string>& extras) {
  Writer writer(weighing, recipe, n_columns, extras);
  std::vector<std::size_t> open{0};
  while (!open.empty()) {
    const GrownNode& node = nodes[open.back()];
    open.pop_back();
    writer.add(node);
    if (!node.split) continue;
    for (std::uint32_t b = node.split->n_branches; b-- > 0;) open.push_back(node.first_child + b);
  }
  return writer.finish();
}

}  // namespace tw
