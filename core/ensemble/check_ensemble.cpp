// The checks that make trees from outside (a model file) safe to walk. Everything that reads an Ensemble relies on
// them.
#include <algorithm>  // for max
#include <cmath>      // for isfinite, isnan
#include <limits>     // for numeric_limits
#include <string>     // for to_string

#include "base/error.hpp"
#include "ensemble/ensemble.hpp"
#include "ensemble/small_tree.hpp"

namespace tw {
namespace {

// Inner nodes add up what is in the leaves and the gains above them: below this, sums over a tree of any depth are
// numbers.
constexpr double kMostImpurity = 1e290;

bool is_impurity(double x) { return std::abs(x) < kMostImpurity; }

struct Checker {
  const SmallTree& t;
  const std::string& where;
  std::size_t n_inner = 0, n_leaves = 0, n_by_levels = 0;

  [[noreturn]] void refuse(const char* name, std::size_t entry) const {
    throw BadInput("array '" + std::string(name) + "' of " + where + " is wrong at entry " + std::to_string(entry));
  }
  void need_length(std::size_t got, std::size_t wanted, const char* name) const {
    if (got != wanted)
      throw BadInput("array '" + std::string(name) + "' of " + where + " has " + std::to_string(got) +
                     " entries instead of " + std::to_string(wanted));
  }

  void shape() {
    if (t.size() == 0) throw BadInput(where + " has no nodes");
    if (t.size() > 0x3fffffffu) throw BadInput(where + " has too many nodes");
    for (std::size_t i = 0; i < t.size(); ++i) {
      if ((t.test[i] & ~kMissingTakesSecond) > 2 || t.test[i] == kMissingTakesSecond) refuse("test", i);
      n_leaves += is_leaf(t.test[i]), n_by_levels += kind_of(t.test[i]) == TestKind::levels;
    }
    n_inner = t.size() - n_leaves;
    try {
      second_children(t.test);
    } catch (const BadInput& problem) {
      throw BadInput(where + " is wrong: " + problem.what());
    }
  }

  void tests(std::int32_t n_columns) const {
    need_length(t.column.size(), n_inner, "column");
    need_length(t.threshold.size(), n_inner, "threshold");
    need_length(t.gain.size(), n_inner, "gain");
    std::size_t inner = 0;
    for (const std::uint8_t test : t.test) {
      if (is_leaf(test)) continue;
      if (t.column[inner] < 0 || t.column[inner] >= n_columns) refuse("column", inner);
      if (std::isnan(t.threshold[inner]) != (kind_of(test) == TestKind::levels)) refuse("threshold", inner);
      if (!is_impurity(t.gain[inner])) refuse("gain", inner);
      ++inner;
    }
  }

  // start: ascending from 0 to `length`, one more entry than there are lists.
  void slices(const std::vector<std::uint32_t>& start, std::size_t n, std::size_t length, const char* name) const {
    need_length(start.size(), n + 1, name);
    if (start[0] != 0) refuse(name, 0);
    for (std::size_t i = 0; i < n; ++i)
      if (start[i + 1] < start[i] || start[i + 1] > length) refuse(name, i + 1);
    if (start[n] != length) refuse(name, n);
  }

  void levels() const {
    need_length(t.level_branch.size(), t.level.size(), "level_branch");
    if (n_by_levels == 0) {
      need_length(t.level.size(), 0, "level");
      if (!t.level_start.empty()) need_length(t.level_start.size(), 1, "level_start");
      return;
    }
    slices(t.level_start, n_by_levels, t.level.size(), "level_start");
    for (std::size_t i = 0; i < n_by_levels; ++i) {
      if (t.level_start[i] == t.level_start[i + 1]) refuse("level_start", i);
      for (std::size_t k = t.level_start[i]; k < t.level_start[i + 1]; ++k) {
        const bool ascends = k == t.level_start[i] || t.level[k] > t.level[k - 1];
        if (t.level[k] == 0 || t.level[k] > 0x7fffffffu || !ascends) refuse("level", k);
        if (t.level_branch[k] > 1) refuse("level_branch", k);
      }
    }
  }

  void leaves(std::int32_t n_classes) const {
    need_length(t.n_rows.size(), n_leaves, "n_rows");
    if (!t.weight.empty()) need_length(t.weight.size(), n_leaves, "weight");
    // What all leaves weigh together has to be a number.
    const double most = std::numeric_limits<double>::max() / static_cast<double>(std::max<std::size_t>(n_leaves, 1));
    for (std::size_t i = 0; i < t.weight.size(); ++i)
      if (!(t.weight[i] >= 0 && t.weight[i] <= most)) refuse("weight", i);
    if (!t.impurity.empty()) need_length(t.impurity.size(), n_leaves, "impurity");
    for (std::size_t i = 0; i < t.impurity.size(); ++i)
      if (!is_impurity(t.impurity[i])) refuse("impurity", i);
    n_classes > 0 ? counts(n_classes) : values();
  }

  void values() const {
    need_length(t.value.size(), n_leaves, "value");
    for (std::size_t i = 0; i < n_leaves; ++i)
      if (!std::isfinite(t.value[i])) refuse("value", i);
    need_length(t.count_class.size() + t.count_weight.size(), 0, "count_class");
  }

  void counts(std::int32_t n_classes) const {
    need_length(t.value.size(), 0, "value");
    need_length(t.count_weight.size(), t.count_class.size(), "count_weight");
    slices(t.count_start, n_leaves, t.count_class.size(), "count_start");
    double together = 0;  // what all leaves weigh is added up for the nodes above them
    for (std::size_t i = 0; i < n_leaves; ++i) {
      bool weighs = false;
      for (std::size_t k = t.count_start[i]; k < t.count_start[i + 1]; ++k) {
        const bool ascends = k == t.count_start[i] || t.count_class[k] > t.count_class[k - 1];
        if (t.count_class[k] >= n_classes || !ascends) refuse("count_class", k);
        together += t.count_weight[k];
        if (!(t.count_weight[k] >= 0 && std::isfinite(together))) refuse("count_weight", k);
        weighs = weighs || t.count_weight[k] > 0;
      }
      if (!weighs) refuse("count_weight", t.count_start[i]);  // a leaf of nothing has no shares to answer with
    }
  }
};

}  // namespace

void check_small_tree(const SmallTree& tree, std::int32_t n_columns, std::int32_t n_classes, const std::string& where) {
  Checker checker{tree, where};
  checker.shape();
  checker.tests(n_columns);
  checker.levels();
  checker.leaves(n_classes);
}

void check_ensemble(const Ensemble& ensemble) {
  if (ensemble.n_columns < 0 || ensemble.n_classes < 0)
    throw BadInput("the numbers of columns and classes must not be negative");
  for (std::size_t i = 0; i < ensemble.trees.size(); ++i)
    check_small_tree(ensemble.trees[i], ensemble.n_columns, ensemble.n_classes, "tree " + std::to_string(i));
}

}  // namespace tw
