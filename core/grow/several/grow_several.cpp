#include "grow/several/grow_several.hpp"

#include <algorithm>  // for copy
#include <limits>     // for numeric_limits
#include <memory>     // for unique_ptr

#include "base/counted_random.hpp"
#include "base/error.hpp"
#include "grow/assemble_tree.hpp"
#include "grow/finish_tree.hpp"
#include "grow/several/column_search.hpp"
#include "grow/tables/grow_from_tables.hpp"  // for DrawnColumns
#include "grow/threshold_value.hpp"

namespace tw {
namespace {

constexpr std::size_t kSharedNode = 20'000;  // cells; threads share the columns of a larger node
constexpr std::uint64_t kCutsOfANode = 7;    // of the random words
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-12;  // a gain that is as large as it must be counts so, however it rounds

// A node whose rows are known, to be written and divided. The rows of its branches are parts of its own.
struct OpenNode {
  std::size_t begin, end;
  std::int64_t depth;
};

class Growth {
 public:
  Growth(const RankedTable& table, const SeveralTargets& targets, const Recipe& recipe, Workers& workers)
      : table_(table), targets_(targets), recipe_(recipe), workers_(workers), rows_(targets.each[0]->rows),
        spare_(rows_.size()), trees_(targets.size()), columns_(table.columns.size()) {
    for (int w = 0; w < workers.size(); ++w)
      searches_.push_back(std::make_unique<ColumnSearch>(table, targets, recipe.stop));
    for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c] = static_cast<std::int32_t>(c);
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      trees_[t].n_columns = static_cast<std::int32_t>(table.columns.size());
      trees_[t].n_classes = static_cast<std::int32_t>(targets.each[t]->n_classes);
      trees_[t].level_start.push_back(0);
      if (trees_[t].n_classes) trees_[t].count_start.push_back(0);
    }
  }

  std::vector<Tree> grow() {
    std::vector<OpenNode> open{{0, rows_.size(), 0}};
    while (!open.empty()) {  // the last one first, so nodes come in preorder
      workers_.checkpoint();
      const OpenNode node = open.back();
      open.pop_back();
      add_up(node);
      add_summary();
      const Division division = is_leaf(node) ? Division() : best_division(node);
      add_test(division);
      if (!division.candidate.found()) continue;
      const std::size_t middle = divide(node, division);
      open.push_back({middle, node.end, node.depth + 1});
      open.push_back({node.begin, middle, node.depth + 1});
    }
    for (Tree& tree : trees_) finish(tree);
    return std::move(trees_);
  }

 private:
  std::span<const std::uint32_t> rows_of(const OpenNode& node) const {
    return std::span(rows_).subspan(node.begin, node.end - node.begin);
  }

  void add_up(const OpenNode& node) {
    sums_.clear(targets_);
    full_.assign(targets_.weighing.size(), 0);
    for (const std::uint32_t row : rows_of(node)) {
      sums_.add(targets_, row);
      for (std::size_t t = 0; t < full_.size(); ++t)
        full_[t] += static_cast<__int128>(targets_.weight_of(row)) * targets_.each[t]->level[row];
    }
    if (root_weight_ == 0) root_weight_ = sums_.weight;
  }

  // The same for one target, in the form that impurities and means are taken of.
  Sums sums_of(std::size_t t) const {
    Sums sums;
    sums.rows = sums_.rows, sums.weight = sums_.weight;
    if (targets_.numbers())
      sums.numbers = sums_.numbers[t], sums.full = full_[t];
    else
      sums.classes.assign(sums_.classes.data() + targets_.first_class[t],
                          sums_.classes.data() + targets_.first_class[t + 1]);
    return sums;
  }

  void add_summary() {
    const Target& first = *targets_.each[0];
    static const Weighing none;
    is_pure_ = true;
    joint_impurity_.push_back(0);
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      const Sums sums = sums_of(t);
      const Weighing& weighing = targets_.numbers() ? targets_.weighing[t] : none;
      is_pure_ = is_pure_ && sums.is_pure();
      trees_[t].impurity.push_back(node_impurity(recipe_.criterion, sums, weighing));
      joint_impurity_.back() += trees_[t].impurity.back() / double(trees_.size());
      if (targets_.numbers()) trees_[t].value.push_back(node_mean(sums, weighing));
      for (std::uint32_t k = 0; k < sums.classes.size(); ++k) {
        if (sums.classes[k] == 0) continue;
        trees_[t].count_class.push_back(k);
        trees_[t].count_weight.push_back(double(sums.classes[k]) * first.weight_unit);
      }
      if (trees_[t].n_classes) trees_[t].count_start.push_back(static_cast<std::int64_t>(trees_[t].count_class.size()));
    }
    for (Tree& tree : trees_) {
      tree.n_rows.push_back(sums_.rows);
      tree.weight.push_back(double(sums_.weight) * first.weight_unit);
    }
  }

  bool is_leaf(const OpenNode& node) const {
    const auto rows = static_cast<std::int64_t>(sums_.rows);
    const StopRules& stop = recipe_.stop;
    return is_pure_ || node.depth >= stop.max_depth || rows < stop.min_samples_split ||
           rows < 2 * stop.min_samples_leaf || rows < 2;
  }

  Division best_division(const OpenNode& node) {
    const std::size_t number = joint_impurity_.size() - 1;
    SearchedNode searched{rows_of(node), sums_, {}};
    if (recipe_.options.has("random_cuts") && recipe_.options.flag("random_cuts"))
      searched.random_key =
          stream_key({static_cast<std::uint64_t>(recipe_.options.number("draw_seed")), kCutsOfANode, number});
    DrawnColumns columns(recipe_.options, columns_, number);
    Division best;
    do {
      const std::span<const std::int32_t> asked = columns.next();
      std::vector<Division> found(asked.size());
      auto search = [&](std::size_t i, int worker) { found[i] = searches_[worker]->search(searched, asked[i]); };
      if (workers_.size() > 1 && asked.size() * searched.rows.size() > kSharedNode)
        workers_.run(asked.size(), search);
      else
        for (std::size_t i = 0; i < asked.size(); ++i) search(i, 0);
      for (Division& division : found)
        if (better(division.candidate, best.candidate)) best = std::move(division);
    } while (!best.candidate.found() && columns.more());
    if (!best.candidate.found()) return best;
    const double share = best.candidate.share() * joint_impurity_.back();
    const double decrease = share * double(sums_.weight) / double(root_weight_);
    return decrease < recipe_.stop.min_impurity_decrease - kRounding ? Division() : std::move(best);
  }

  void add_test(const Division& division) {
    const Candidate& cut = division.candidate;
    const bool leaf = !cut.found(), by_levels = cut.kind == CutKind::levels;
    const TestKind kind = leaf ? TestKind::leaf : by_levels ? TestKind::levels : TestKind::threshold;
    for (Tree& tree : trees_) {
      tree.n_children.push_back(leaf ? 0 : 2);
      tree.kind.push_back(static_cast<std::uint8_t>(kind));
      tree.column.push_back(leaf ? -1 : cut.column);
      tree.threshold.push_back(kind == TestKind::threshold ? threshold_of(division) : kNone);
      tree.missing_branch.push_back(leaf ? kMissingStops : !cut.missing_left);
      if (by_levels)
        for (const std::uint32_t code : division.levels) {
          tree.level.push_back(code);
          tree.level_branch.push_back(goes_left(division, code) ? 0 : 1);
        }
      tree.level_start.push_back(static_cast<std::int64_t>(tree.level.size()));
    }
  }

  double threshold_of(const Division& division) const {
    const RankedColumn& column = table_.columns[static_cast<std::size_t>(division.candidate.column)];
    if (division.candidate.known_or_missing) return std::numeric_limits<double>::infinity();
    const double left = column.value_of(division.code);
    if (column.kind == Kind::ordinal) return left;
    return division.candidate.inside ? division.threshold : midpoint(left, column.value_of(division.next_code));
  }

  static bool goes_left(const Division& division, std::uint32_t code) {
    const Candidate& cut = division.candidate;
    if (cut.known_or_missing) return code != 0;
    if (code == 0) return cut.missing_left;
    if (cut.kind == CutKind::threshold) return code <= division.code;
    return std::find(cut.left_levels.begin(), cut.left_levels.end(), code) != cut.left_levels.end();
  }

  // Moves the rows of the left branch before the others, both in their order; gives where the others begin.
  std::size_t divide(const OpenNode& node, const Division& division) {
    const RankedColumn& column = table_.columns[static_cast<std::size_t>(division.candidate.column)];
    std::size_t left = node.begin, right = 0;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const std::uint32_t row = rows_[i];
      (goes_left(division, column.code(row)) ? rows_[left++] : spare_[right++]) = row;
    }
    std::copy(spare_.begin(), spare_.begin() + static_cast<std::ptrdiff_t>(right),
              rows_.begin() + static_cast<std::ptrdiff_t>(left));
    return left;
  }

  void finish(Tree& tree) const {
    tree.find_shape();
    tree.read_lists();
    if (recipe_.stop.max_leaves < static_cast<std::int64_t>(tree.size())) keep_best(tree);
    add_gains(tree);
    if (tree.n_classes) add_predictions(tree);
  }

  // Which leaves are best is told by all targets; what a node is left with, by its own.
  void keep_best(Tree& tree) const {
    tree.extras.emplace_back("own", std::move(tree.impurity));
    tree.impurity = joint_impurity_;
    add_gains(tree);
    if (tree.n_classes) add_predictions(tree);
    tree = keep_best_leaves(tree, recipe_.stop.max_leaves);
    tree.impurity = std::move(tree.extras.back().second);
    tree.extras.pop_back();
  }

  const RankedTable& table_;
  const SeveralTargets& targets_;
  const Recipe& recipe_;
  Workers& workers_;
  std::vector<std::uint32_t> rows_, spare_;
  std::vector<Tree> trees_;
  std::vector<std::int32_t> columns_;
  std::vector<std::unique_ptr<ColumnSearch>> searches_;
  Tallies sums_;
  std::vector<double> joint_impurity_;  // of every node: the mean over the targets
  std::vector<__int128> full_;          // Σ w·level with every bit of the levels, for the means
  std::int64_t root_weight_ = 0;
  bool is_pure_ = false;
};

}  // namespace

std::vector<Tree> grow_several(const Table& table, std::span<const Target* const> targets, const Recipe& recipe,
                               Workers& workers) {
  if (targets.empty()) throw BadInput("a tree learns one target at least");
  std::int64_t weight = 0;
  for (const std::uint32_t row : targets[0]->rows) weight += targets[0]->weight_of(row);
  const SeveralTargets several(targets, recipe.criterion, weight);
  const RankedTable ranked = rank_columns(table, workers);
  return Growth(ranked, several, recipe, workers).grow();
}

}  // namespace tw
