// Rows through trees: the fast walks against one row after the other through the stored tree (predict/walk.hpp).
#include <algorithm>  // for sort, unique
#include <limits>     // for numeric_limits

#include "check.hpp"
#include "draws.hpp"
#include "ensemble/add_answers.hpp"
#include "ensemble/expand_tree.hpp"
#include "explain/background_values.hpp"
#include "explain/shap_values.hpp"
#include "predict/find_leaves.hpp"
#include "predict/walk.hpp"

namespace tw::tests {
namespace {

constexpr std::int32_t kNumbers = 4, kColumns = 6;  // the others have levels
constexpr double kNone = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

// Few different numbers, so that rows often stand exactly on a threshold.
double a_number(Draws& draw) { return (std::int32_t(draw.below(41)) - 20) * 0.37; }

void add_levels(Draws& draw, std::uint32_t largest, SmallTree& tree) {
  std::vector<std::uint32_t> levels;
  for (std::uint32_t i = draw.size_up_to(30); i > 0; --i) levels.push_back(1 + draw.below(largest));
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  for (const std::uint32_t level : levels) {
    tree.level.push_back(level);
    tree.level_branch.push_back(static_cast<std::uint8_t>(draw.below(2)));
  }
  tree.level_start.push_back(static_cast<std::uint32_t>(tree.level.size()));
}

void add_test(Draws& draw, std::uint32_t largest_level, SmallTree& tree) {
  const bool by_levels = largest_level > 0 && draw.coin(3);
  const TestKind kind = by_levels ? TestKind::levels : TestKind::threshold;
  tree.test.push_back(
      static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | (draw.coin() ? kMissingTakesSecond : 0)));
  tree.column.push_back(
      static_cast<std::int32_t>(by_levels ? kNumbers + draw.below(kColumns - kNumbers) : draw.below(kNumbers)));
  tree.threshold.push_back(by_levels ? kNone : a_number(draw));
  tree.gain.push_back(0);
  if (by_levels) add_levels(draw, largest_level, tree);
}

// largest_level 0: thresholds only.
SmallTree a_tree(Draws& draw, std::uint32_t most_nodes, std::uint32_t largest_level) {
  SmallTree tree;
  if (largest_level > 0) tree.level_start.push_back(0);
  const std::uint32_t leaf_in = 2 + draw.below(3);
  for (std::uint32_t open = 1; open > 0;) {  // nodes that are still to come
    if (tree.size() + open < most_nodes && (tree.size() < 3 || !draw.coin(leaf_in))) {
      add_test(draw, largest_level, tree);
      ++open;
      continue;
    }
    tree.test.push_back(static_cast<std::uint8_t>(TestKind::leaf));
    tree.n_rows.push_back(1 + draw.below(9));
    tree.value.push_back(draw.between(-1, 1));
    --open;
  }
  return tree;
}

// Rows to predict, and the frame that points at them: numbers by rows, level codes by columns.
template <class Number>
struct Rows {
  std::vector<Number> numbers;
  std::vector<std::int32_t> codes;
  Frame frame;

  Rows(Draws& draw, std::size_t n, std::uint32_t largest_level, std::int32_t n_columns) {
    for (std::size_t i = 0; i < n * kNumbers; ++i)
      numbers.push_back(static_cast<Number>(draw.coin(8) ? kNone : draw.coin(40) ? kInfinity : a_number(draw)));
    for (std::size_t i = 0; i < n * (kColumns - kNumbers); ++i)
      codes.push_back(draw.coin(8) ? 0 : static_cast<std::int32_t>(1 + draw.below(largest_level + 2)));
    frame.n_rows = n;
    for (std::int32_t c = 0; c < n_columns; ++c) {
      FrameColumn column;
      column.is_levels = c >= kNumbers;
      if (column.is_levels)
        column.codes = codes.data() + static_cast<std::size_t>(c - kNumbers) * n;
      else
        column.numbers = {reinterpret_cast<const char*>(numbers.data() + c), kNumbers * sizeof(Number),
                          sizeof(Number) == 4 ? NumberType::f32 : NumberType::f64, nullptr};
      frame.columns.push_back(column);
    }
  }
};

std::vector<std::int32_t> leaves_one_by_one(const Tree& tree, const Frame& frame) {
  std::vector<std::int32_t> leaves;
  for (std::size_t row = 0; row < frame.n_rows; ++row)
    leaves.push_back(find_leaf(tree, [&](std::int32_t column) { return frame.columns[column].at(row); }));
  return leaves;
}

template <class Number>
void compare_leaves(Draws& draw) {
  const Tree tree = expand(a_tree(draw, draw.size_up_to(400), 0), kNumbers, 0);
  const Rows<Number> rows(draw, 256 + draw.below(600), 5, kNumbers);
  const std::vector<std::int32_t> wanted = leaves_one_by_one(tree, rows.frame);
  at_every_level([&] {
    Workers workers(1 + static_cast<int>(draw.below(3)));
    std::vector<std::int32_t> got(rows.frame.n_rows);
    find_leaves(tree, rows.frame, got.data(), workers);
    CHECK(got == wanted);
  });
}

struct Answers {
  std::vector<std::int32_t> nodes;  // rows × trees
  std::vector<double> sums;         // by rows
};

Answers answers_one_by_one(const Ensemble& ensemble, const Frame& frame) {
  const std::size_t n_trees = ensemble.trees.size();
  Answers answers{std::vector<std::int32_t>(frame.n_rows * n_trees), std::vector<double>(frame.n_rows, 0.5)};
  for (std::size_t t = 0; t < n_trees; ++t) {
    const Tree tree = expand(ensemble.trees[t], ensemble.n_columns, 0);
    const std::vector<std::int32_t> leaves = leaves_one_by_one(tree, frame);
    for (std::size_t row = 0; row < frame.n_rows; ++row) {
      answers.nodes[row * n_trees + t] = leaves[row];
      answers.sums[row] += tree.value[static_cast<std::size_t>(leaves[row])];
    }
  }
  return answers;
}

double sum_of_one_row(const Ensemble& ensemble, const Frame& frame, std::size_t row) {
  OneRowSums one(ensemble, Answer::values);
  std::vector<double> values;
  for (const std::int32_t column : one.columns()) values.push_back(frame.columns[column].at(row));
  double sum = 0.5;
  one.add(values, 1, &sum);
  return sum;
}

void compare_answers(Draws& draw, std::uint32_t largest_level) {
  Ensemble ensemble(kColumns, 0);
  const std::uint32_t most_nodes = draw.coin() ? 60 : 600;
  for (std::uint32_t t = draw.size_up_to(20); t > 0; --t)
    ensemble.trees.push_back(a_tree(draw, draw.size_up_to(most_nodes), largest_level));
  check_ensemble(ensemble);
  const Rows<double> rows(draw, draw.size_up_to(700), largest_level, kColumns);
  const Answers wanted = answers_one_by_one(ensemble, rows.frame);
  at_every_level([&] {
    const Ensemble fresh = ensemble;  // its coded form is made anew
    Workers workers(1 + static_cast<int>(draw.below(3)));
    Answers got{std::vector<std::int32_t>(wanted.nodes.size()), std::vector<double>(wanted.sums.size(), 0.5)};
    const Trees all{0, fresh.trees.size()};
    find_nodes(fresh, all, rows.frame, got.nodes.data(), workers);
    add_answers(fresh, Answer::values, all, rows.frame, {got.sums.data(), 1}, workers);
    CHECK(got.nodes == wanted.nodes);
    CHECK(got.sums == wanted.sums);
    CHECK(sum_of_one_row(fresh, rows.frame, 0) == wanted.sums[0]);
  });
}

// SHAP values by training weights and by a background, one after the other.
std::vector<double> explained_rows(const Ensemble& ensemble, const Frame& frame, const Frame& background,
                                   int n_threads) {
  Workers workers(n_threads);
  const ExplainedTrees trees = explained(ensemble, Answer::values, 1, 1);
  const std::size_t size = frame.n_rows * kColumns;
  std::vector<double> values(2 * size);
  shap_values(trees, frame, values.data(), workers);
  background_values(trees, frame, background, values.data() + size, workers);
  return values;
}

}  // namespace

TEST(explanations_are_the_same_by_any_number_of_threads) {
  Draws draw(23);
  for (int repeat = 0; repeat < 12; ++repeat) {
    Ensemble ensemble(kColumns, 0);
    for (std::uint32_t t = 1 + draw.below(6); t > 0; --t) ensemble.trees.push_back(a_tree(draw, 60, 20));
    const Rows<double> rows(draw, 1 + draw.below(300), 20, kColumns), background(draw, 20, 20, kColumns);
    const std::vector<double> wanted = explained_rows(ensemble, rows.frame, background.frame, 1);
    CHECK(explained_rows(ensemble, rows.frame, background.frame, 2) == wanted);
    CHECK(explained_rows(ensemble, rows.frame, background.frame, 3) == wanted);
  }
}

TEST(many_rows_end_in_the_same_leaves_as_single_ones) {
  Draws draw(21);
  for (int repeat = 0; repeat < 150; ++repeat) compare_leaves<float>(draw), compare_leaves<double>(draw);
}

TEST(ensembles_answer_as_their_trees_do_one_by_one) {
  Draws draw(22);
  for (int repeat = 0; repeat < 60; ++repeat)
    for (const std::uint32_t largest_level : {0u, 20u, 3000u, 200000u}) compare_answers(draw, largest_level);
}

}  // namespace tw::tests
