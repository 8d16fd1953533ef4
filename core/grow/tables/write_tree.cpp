#include "grow/tables/write_tree.hpp"

#include <limits>  // for numeric_limits

#include "base/error.hpp"
#include "grow/finish_tree.hpp"

namespace tw {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

NodeList empty_list(const char* name, std::initializer_list<const char*> fields) {
  NodeList list;
  list.name = name;
  list.start.push_back(0);
  for (const char* field : fields) list.fields.emplace_back(field, std::vector<double>());
  return list;
}

void add_entry(NodeList& list, std::initializer_list<double> numbers) {
  std::size_t f = 0;
  for (const double number : numbers) list.fields[f++].second.push_back(number);
}

void end_node(NodeList& list) { list.start.push_back(static_cast<std::int64_t>(list.fields[0].second.size())); }

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
    add_summary(node.sums);
    for (std::size_t e = 0; e < tree_.extras.size(); ++e)
      tree_.extras[e].second.push_back(e < node.extras.size() ? node.extras[e] : kNone);
  }

  Tree finish() {
    for (NodeList* list : {&intervals_, &terms_, &surrogates_, &surrogate_levels_})
      if (list->start.back() > 0) tree_.lists.push_back(std::move(*list));
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
    for (const double upper : split.uppers) add_entry(intervals_, {upper});
    for (const Term& t : split.terms)
      add_entry(terms_, {double(t.column), double(t.level), t.weight, t.filler, t.share});
    for (std::size_t s = 0; s < split.surrogates.size(); ++s) {
      const Surrogate& stand_in = split.surrogates[s];
      add_entry(surrogates_, {double(stand_in.column), stand_in.threshold, double(stand_in.flip), stand_in.agreement,
                              stand_in.adjusted});
      for (const auto& [code, branch] : stand_in.levels)
        add_entry(surrogate_levels_, {double(s), double(code), double(branch)});
    }
    for (NodeList* list : {&intervals_, &terms_, &surrogates_, &surrogate_levels_}) end_node(*list);
  }

  void add_summary(const Sums& sums) {
    tree_.n_rows.push_back(sums.rows);
    tree_.weight.push_back(double(sums.weight) * weighing_.unit);
    tree_.impurity.push_back(node_impurity(recipe_.criterion, sums, weighing_));
    if (!tree_.n_classes) return tree_.value.push_back(node_mean(sums, weighing_));
    for (std::uint32_t k = 0; k < sums.classes.size(); ++k) {
      if (sums.classes[k] == 0) continue;
      tree_.count_class.push_back(k);
      tree_.count_weight.push_back(double(sums.classes[k]) * weighing_.unit);
    }
    tree_.count_start.push_back(static_cast<std::int64_t>(tree_.count_class.size()));
  }

  const Weighing& weighing_;
  const Recipe& recipe_;
  Tree tree_;
  const Split leaf_ = [] {
    Split split;
    split.kind = TestKind::leaf;
    return split;
  }();
  NodeList intervals_ = empty_list("interval", {"upper"});
  NodeList terms_ = empty_list("term", {"column", "level", "weight", "filler", "share"});
  NodeList surrogates_ = empty_list("surrogate", {"column", "threshold", "flip", "agreement", "adjusted"});
  NodeList surrogate_levels_ = empty_list("surrogate_level", {"which", "level", "branch"});
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
