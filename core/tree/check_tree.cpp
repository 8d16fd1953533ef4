// The checks that make a tree from outside (a model file, JSON) safe to walk: no index out of range, no cycle, no
// size that lies. Everything that reads a Tree relies on them and checks nothing itself.
#include <cmath>   // for isnan, isfinite
#include <string>  // for to_string

#include "base/error.hpp"
#include "tree/tree.hpp"

namespace tw {
namespace {

void need(bool holds, const std::string& what) {
  if (!holds) throw BadInput(what);
}

void need_length(std::size_t got, std::size_t wanted, const char* name) {
  need(got == wanted, std::string("array '") + name + "' has " + std::to_string(got) + " entries instead of " +
                          std::to_string(wanted));
}

std::string at(const char* name, std::size_t node) {
  return std::string("array '") + name + "' is wrong at node " + std::to_string(node);
}

// start: n + 1 offsets into arrays of `length` items, ascending from 0 to the end.
void check_slices(const std::vector<std::int64_t>& start, std::size_t n, std::size_t length, const char* name) {
  need_length(start.size(), n + 1, name);
  need(start[0] == 0, at(name, 0));
  for (std::size_t i = 0; i < n; ++i)
    need(start[i + 1] >= start[i] && start[i + 1] <= static_cast<std::int64_t>(length), at(name, i));
  need(start[n] == static_cast<std::int64_t>(length), at(name, n));
}

void check_lengths(const Tree& t) {
  const std::size_t n = t.size();
  need_length(t.kind.size(), n, "kind");
  need_length(t.column.size(), n, "column");
  need_length(t.threshold.size(), n, "threshold");
  need_length(t.missing_branch.size(), n, "missing_branch");
  need_length(t.n_rows.size(), n, "n_rows");
  need_length(t.weight.size(), n, "weight");
  need_length(t.impurity.size(), n, "impurity");
  need_length(t.gain.size(), n, "gain");
  need_length(t.level_branch.size(), t.level.size(), "level_branch");
  check_slices(t.level_start, n, t.level.size(), "level_start");
  for (const auto& [name, numbers] : t.extras) need_length(numbers.size(), n, name.c_str());
  for (const NodeList& list : t.lists) {
    for (const auto& [field, numbers] : list.fields)
      check_slices(list.start, n, numbers.size(), (list.name + "_" + field).c_str());
  }
}

void check_test(const Tree& t, std::size_t i) {
  const bool leaf = t.n_children[i] == 0;
  need(t.kind[i] <= 4 && (t.kind[i] == 0) == leaf, at("kind", i));
  const auto n_levels = t.level_start[i + 1] - t.level_start[i];
  need(t.kind[i] == static_cast<std::uint8_t>(TestKind::levels) ? n_levels > 0 : n_levels == 0, at("level_start", i));
  need(t.missing_branch[i] >= (leaf ? kMissingStops : kMissingSpreads) &&
           t.missing_branch[i] < static_cast<std::int32_t>(t.n_children[i]),
       at("missing_branch", i));
  if (leaf) return need(t.column[i] == -1, at("column", i));
  need(t.column[i] >= 0 && t.column[i] < t.n_columns, at("column", i));
  if (t.kind[i] == static_cast<std::uint8_t>(TestKind::threshold)) {
    const bool third_is_missing = t.n_children[i] == 3 && t.missing_branch[i] == 2;
    need(t.n_children[i] == 2 || third_is_missing, at("n_children", i));
    need(!std::isnan(t.threshold[i]), at("threshold", i));
  }
  if (t.kind[i] == static_cast<std::uint8_t>(TestKind::hyperplane)) {
    need(t.n_children[i] == 2 && t.missing_branch[i] >= 0, at("n_children", i));
    need(std::isfinite(t.threshold[i]), at("threshold", i));
    need(!t.term_start.empty() && t.term_start[i + 1] > t.term_start[i], at("term_start", i));
  }
  if (t.kind[i] == static_cast<std::uint8_t>(TestKind::intervals)) {
    need(!t.interval_start.empty(), at("interval_start", i));
    const auto known = t.interval_start[i + 1] - t.interval_start[i] + 1;  // branches
    const bool last_is_missing = t.n_children[i] == known + 1 && t.missing_branch[i] == known;
    need(t.n_children[i] == known || last_is_missing, at("interval_start", i));
  }
  const auto first = static_cast<std::size_t>(t.level_start[i]);
  for (std::size_t k = first; k < static_cast<std::size_t>(t.level_start[i + 1]); ++k) {
    need(t.level[k] > 0 && (k == first || t.level[k] > t.level[k - 1]), at("level", i));
    need(t.level_branch[k] < t.n_children[i], at("level_branch", i));
  }
}

void check_classes(const Tree& t) {
  const std::size_t n = t.size();
  need_length(t.prediction.size(), n, "prediction");
  need_length(t.count_weight.size(), t.count_class.size(), "count_weight");
  check_slices(t.count_start, n, t.count_class.size(), "count_start");
  need(t.value.empty(), "array 'value' does not belong to a tree of classes");
  for (std::size_t i = 0; i < n; ++i) {
    need(t.prediction[i] >= 0 && t.prediction[i] < t.n_classes, at("prediction", i));
    const auto first = static_cast<std::size_t>(t.count_start[i]);
    double together = 0;
    for (std::size_t k = first; k < static_cast<std::size_t>(t.count_start[i + 1]); ++k) {
      need(t.count_class[k] < static_cast<std::uint32_t>(t.n_classes) &&
               (k == first || t.count_class[k] > t.count_class[k - 1]),
           at("count_class", i));
      together += t.count_weight[k];
      need(t.count_weight[k] >= 0 && std::isfinite(together), at("count_weight", i));
    }
  }
}

}  // namespace

void Tree::check() const {
  need(n_columns >= 0 && n_classes >= 0, "the numbers of columns and classes must not be negative");
  check_lengths(*this);
  for (std::size_t i = 0; i < size(); ++i) {
    check_test(*this, i);
    need(n_rows[i] >= 0, at("n_rows", i));
    // No node has more than all rows have, but for the last digits of sums.
    need(std::isfinite(weight[i]) && weight[i] >= 0 && weight[i] <= weight[0] * (1 + 1e-6), at("weight", i));
    need(std::isfinite(impurity[i]), at("impurity", i));
    need(std::isfinite(gain[i]), at("gain", i));
  }
  if (n_classes > 0) return check_classes(*this);
  need_length(value.size(), size(), "value");
  for (std::size_t i = 0; i < size(); ++i) need(std::isfinite(value[i]), at("value", i));
  need(prediction.empty() && count_class.empty(), "class arrays do not belong to a tree of numbers");
}

}  // namespace tw
