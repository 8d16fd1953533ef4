// TreeGrower: grows one tree of a forest after the other. Search is PairSearch or ClassSearch.
//
// Nodes are taken from a stack, left branch first, and so written in preorder. All rows of the tree stand in one array
// that every split divides stably.
#pragma once

#include <algorithm>  // for max, min, sort
#include <limits>     // for numeric_limits
#include <vector>     // for vector

#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"
#include "forest/all_pairs.hpp"
#include "forest/code_range.hpp"
#include "forest/column_draw.hpp"
#include "forest/drawn_rows.hpp"
#include "forest/forest_codes.hpp"
#include "forest/forest_rules.hpp"
#include "forest/keep_leaves.hpp"
#include "forest/late_thresholds.hpp"
#include "forest/random_lanes.hpp"
#include "forest/subtree_block.hpp"
#include "forest/tree_room.hpp"
#include "forest/tree_rows.hpp"
#include "grow/candidate.hpp"
#include "grow/threshold_value.hpp"
#include "tree/tree.hpp"

namespace tw {

template <class Search>
class TreeGrower {
 public:
  TreeGrower(const ForestCodes& codes, const Target& target, const ForestRules& rules, Workers& workers)
      : codes_(codes), target_(target), rules_(rules), workers_(workers), search_(target, rules),
        draw_(static_cast<std::uint32_t>(codes.n_columns)) {
    block_rows_ = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(rules.block_bytes / (2 * std::max<std::size_t>(1, codes.n_columns)), 8, 65535));
  }

  SmallTree grow(std::uint32_t number, const Draws& draws) {
    start(draws);
    const std::uint64_t key = stream_key({rules_.seed, static_cast<std::uint64_t>(Purpose::growth), number});
    std::vector<Pending>& stack = stack_;
    stack = {{0, static_cast<std::uint32_t>(rows_.size()), 0, key, {}}};
    while (!stack.empty()) {
      const Pending node = stack.back();
      stack.pop_back();
      if (node.n >= kManyRows || ++n_unchecked_ % kFewNodes == 0) workers_.checkpoint();
      enter_or_leave_block(node);
      describe(node);
      if (node.depth == 0) total_ = search_.weight();
      std::uint32_t n_left = 0;
      if (!may_split(node) || !split(node, n_left)) {
        write_leaf();
        continue;
      }
      const Halves sums = halves();
      stack.push_back({node.begin + n_left, node.n - n_left, node.depth + 1, child_key(node.key, 1), sums.second});
      stack.push_back({node.begin, n_left, node.depth + 1, child_key(node.key, 0), sums.first});
    }
    finish();
    return std::move(grown_);
  }

 private:
  // Whether to stop is asked after that many nodes, or columns of a node with so many rows: the clock takes its time.
  static constexpr std::uint32_t kFewNodes = 64, kManyRows = 1024;

  struct Pending {
    std::uint32_t begin, n, depth;
    std::uint64_t key;
    PairSum sum;  // of its rows, where the parent has told; else no rows
  };
  struct Halves {
    PairSum first, second;
  };

  void describe(const Pending& node) {
    if constexpr (Search::kCounts)
      if (node.sum.rows > 0) return search_.describe(node.sum);
    search_.describe(rows_.data() + node.begin, node.n);
  }
  Halves halves() const {
    if constexpr (Search::kCounts) return {search_.left(), search_.right()};
    return {};
  }

  void start(const Draws& draws) {
    rows_.resize(target_.rows.size());
    std::size_t n = 0;
    for (const std::uint32_t row : target_.rows) {
      rows_[n] = row;
      n += draws.counts[row] && counts_at_all(row);
    }
    rows_.resize(n);
    leave_block();
    search_.start_tree(draws);
    grown_ = SmallTree{};
    room_.make(grown_, target_.is_regression());
    if (!target_.is_regression()) grown_.count_start.push_back(0);
    spare_.resize(rows_.size());
    codes_of_node_.resize(rows_.size() + kSlack), codes_of_best_.resize(rows_.size() + kSlack);
    side_of_row_.resize(rows_.size() + kSlack);
  }

  bool counts_at_all(std::uint32_t row) const {
    return rules_.class_weights.empty() || rules_.class_weights[target_.classes[row]] > 0;
  }

  void leave_block() {
    block_end_ = 0;
    view_ = {codes_.codes.data(), codes_.n_columns, 1};
    search_.leave_block();
  }

  // Most of the rows: column by column they lie close together.
  void choose_view(const Pending& node) {
    if (std::size_t{node.n} * 8 >= codes_.n_rows && codes_.n_rows < 1u << 31)
      view_ = {codes_.by_column.data(), 1, codes_.n_rows};
    else
      view_ = {codes_.codes.data(), codes_.n_columns, 1};
  }

  void enter_or_leave_block(const Pending& node) {
    if (node.begin < block_end_) return;
    if (block_end_ > 0) leave_block();
    if (node.n > block_rows_ || node.n < 3) return choose_view(node);
    std::uint32_t* rows = rows_.data() + node.begin;
    search_.enter_block(rows, node.n);
    block_end_ = node.begin + node.n;
    view_ = in_lanes() ? block_.by_rows(codes_, rows, node.n) : block_.by_columns(codes_, rows, node.n);
  }

  // Whether random cuts of several columns are looked at together.
  bool in_lanes() const { return Search::kCounts && rules_.random_cuts; }

  bool may_split(const Pending& node) const {
    const StopRules& stop = rules_.recipe.stop;
    const auto n = static_cast<std::int64_t>(node.n);
    return n >= 2 && !search_.pure() && node.depth < stop.max_depth && n >= stop.min_samples_split &&
           n >= 2 * stop.min_samples_leaf;
  }

  // Draws columns and divides the rows by the best split; false when there is none.
  bool split(const Pending& node, std::uint32_t& n_left) {
    const std::uint32_t* rows = rows_.data() + node.begin;
    draw_.start(node.key);
    lanes_.clear(), together_.clear();
    kept_ = -1;
    if (in_lanes() && !view_.by_columns()) fill_lanes(0, rows, node.n);
    if constexpr (Search::kCounts)
      search_.look_closer(rows);  // while the numbers that the cuts lie between are fetched
    Best best(search_.best_possible());
    std::uint32_t n_drawn = look_at_first(node, rows, best);
    for (; n_drawn < draw_.size(); ++n_drawn) {
      // Columns that cannot divide the node count too, but the search goes on until one can (as scikit-learn does).
      if (n_drawn >= rules_.max_features && best.get().found()) break;
      const std::uint32_t column = draw_.next();
      if (is_beaten(column, best)) continue;
      view_.gather(column, rows, node.n, codes_of_node_.data());
      look(node, column, codes_of_node_.data(), known_range(codes_of_node_.data(), node.n), best);
      if (best.get().column != static_cast<std::int32_t>(column)) continue;
      std::swap(codes_of_node_, codes_of_best_);
      kept_ = best.get().column;
    }
    if (!best.get().found()) return false;
    const Candidate& winner = best.get();
    const std::uint32_t lane = lanes_.lane_of(static_cast<std::uint32_t>(winner.column));
    if constexpr (Search::kCounts)
      if (lane < lanes_.count() && lanes_.is_cut(lane)) return split_by_lane(node, lane, n_left);
    fetch_codes(winner.column, rows, node.n);
    mark_sides(node, winner);
    const double gain = search_.gain(side_of_row_.data());
    if (!gains_enough(gain)) return false;
    write_inner(node, winner, gain);
    n_left = divide(node);
    return true;
  }

  // Puts the codes of a column into codes_of_node_, if they are still at hand without looking at the rows.
  void fetch_codes(std::int32_t column, const std::uint32_t* rows, std::uint32_t n) {
    if (column == kept_) return std::swap(codes_of_node_, codes_of_best_);
    const auto wanted = static_cast<std::uint32_t>(column);
    const auto k = static_cast<std::size_t>(std::find(together_.begin(), together_.end(), wanted) - together_.begin());
    if (k == together_.size()) return view_.gather(wanted, rows, n, codes_of_node_.data());
    std::copy_n(codes_together_.data() + k * n, n, codes_of_node_.data());
  }

  bool gains_enough(double gain) const {
    return !(gain * search_.weight() / total_ < rules_.recipe.stop.min_impurity_decrease * (1 - 1e-12));
  }

  // The same for the cut of a lane, whose left sum is known.
  bool split_by_lane(const Pending& node, std::uint32_t lane, std::uint32_t& n_left) {
    const double gain = search_.gain(lanes_.left(lane));
    if (!gains_enough(gain)) return false;
    const std::uint32_t column = lanes_.column(lane);
    write_test(TestKind::threshold, !search_.first_is_heavier(), static_cast<std::int32_t>(column), gain);
    late_.push(codes_.columns[column], lanes_.range(lane), lanes_.number(lane), grown_.threshold);
    n_left = lanes_.divide(lane, rows_.data() + node.begin, spare_.data());
    return true;
  }

  // Looks at the columns of a node that can be fetched together; gives how many.
  std::uint32_t look_at_first(const Pending& node, const std::uint32_t* rows, Best& best) {
    if constexpr (Search::kCounts)
      if (lanes_.count() > 0) return look_in_lanes(node, rows, best);
    return view_.by_columns() && !rules_.random_cuts ? 0 : look_at_once(node, rows, best);
  }

  // Draws columns for the lanes; n_drawn of them have been drawn before.
  void fill_lanes(std::uint32_t n_drawn, const std::uint32_t* rows, std::uint32_t n) {
    const std::uint32_t count = std::min(rules_.max_features, draw_.size()) - n_drawn;
    lanes_.clear();
    while (lanes_.count() < std::min(kLanes, count)) lanes_.add(draw_.next());
    lanes_.pick(view_, codes_.columns, rows, n);
  }

  std::uint32_t look_in_lanes(const Pending& node, const std::uint32_t* rows, Best& best) {
    const std::uint32_t count = std::min(rules_.max_features, draw_.size());
    for (std::uint32_t first = 0; first < count; first += kLanes) {
      if (first > 0) fill_lanes(first, rows, node.n);
      lanes_.add_up(codes_.columns, node.key, draw_.size(), search_.words());
      for (std::uint32_t k = 0; k < lanes_.count(); ++k) {
        const std::uint32_t column = lanes_.column(k);
        if (is_beaten(column, best)) continue;
        if (lanes_.is_cut(k)) {
          search_.offer_random_cut(static_cast<std::int32_t>(column), lanes_.left(k), lanes_.cut(k), lanes_.number(k),
                                   best);
        } else {
          lanes_.copy_codes(k, codes_of_node_.data());
          look(node, column, codes_of_node_.data(), lanes_.range(k), best);
        }
      }
    }
    return count;
  }

  // The first columns of a node, some of them fetched together: where rows are far apart, each is fetched once, and
  // random cuts have time to fetch the numbers that they lie between.
  std::uint32_t look_at_once(const Pending& node, const std::uint32_t* rows, Best& best) {
    constexpr std::uint32_t kTogether = 16;
    const std::uint32_t count = std::min(rules_.max_features, draw_.size());
    for (std::uint32_t first = 0; first < count; first += kTogether) {
      together_.clear();
      while (together_.size() < std::min(kTogether, count - first)) together_.push_back(draw_.next());
      codes_together_.resize(std::max<std::size_t>(codes_together_.size(), together_.size() * node.n + kSlack));
      view_.gather(together_, rows, node.n, codes_together_.data());
      ranges_.resize(together_.size());
      for (std::size_t k = 0; k < together_.size(); ++k) {
        ranges_[k] = known_range(codes_together_.data() + k * node.n, node.n);
        if (rules_.random_cuts && !ranges_[k].one_known()) prefetch(codes_.columns[together_[k]], ranges_[k]);
      }
      for (std::size_t k = 0; k < together_.size(); ++k) {
        if (node.n >= kManyRows) workers_.checkpoint();
        if (is_beaten(together_[k], best)) continue;
        look(node, together_[k], codes_together_.data() + k * node.n, ranges_[k], best);
      }
    }
    return count;
  }

  static void prefetch(const ForestColumn& column, const CodeRange& range) {
    if (!column.ordered()) return;
    __builtin_prefetch(&column.lowest[range.lowest - 1]);
    __builtin_prefetch(&column.highest[range.highest - 1]);
  }

  // A split that leaves nothing to gain can only be tied, and ties go to the smaller column.
  static bool is_beaten(std::uint32_t column, const Best& best) {
    return best.get().share() >= 1 && static_cast<std::int32_t>(column) > best.get().column;
  }

  void look(const Pending& node, std::uint32_t column, const std::uint16_t* codes, const CodeRange& range, Best& best) {
    if (range.constant()) return;
    const ForestColumn& about = codes_.columns[column];
    const auto k = static_cast<std::int32_t>(column);
    if (rules_.random_cuts)
      search_.look_at_random(about, k, codes, range, drawn(node.key, draw_.size() + column), best);
    else
      search_.look(about, k, codes, range, best);
  }

  // side_of_row_[i]: 1 where row i of the node takes branch 0, 2 where it takes branch 1.
  void mark_sides(const Pending& node, const Candidate& winner) {
    const std::uint16_t* codes = codes_of_node_.data();
    const std::uint8_t missing_second = !winner.missing_left;
    if (winner.kind == CutKind::threshold) {
      const std::uint32_t cut = winner.known_or_missing ? kMostForestCodes : winner.bucket;
      for (std::uint32_t i = 0; i < node.n; ++i)
        side_of_row_[i] = static_cast<std::uint16_t>(1 + (codes[i] ? codes[i] > cut : missing_second));
      return;
    }
    side_.assign(codes_.columns[winner.column].n_codes + 1, 1);
    for (const std::uint32_t code : winner.left_levels) side_[code] = 0;
    side_[0] = missing_second;
    for (std::uint32_t i = 0; i < node.n; ++i) side_of_row_[i] = static_cast<std::uint16_t>(1 + side_[codes[i]]);
  }

  std::uint32_t divide(const Pending& node) {
    std::uint32_t *first = rows_.data() + node.begin, *second = spare_.data();
    const std::uint32_t* from = first;
    for (std::uint32_t i = 0; i < node.n; ++i) {
      const std::uint32_t row = from[i];
      *first = *second = row;
      const std::uint32_t goes_second = side_of_row_[i] - 1u;
      first += 1 - goes_second, second += goes_second;
    }
    std::copy(spare_.data(), second, first);
    return static_cast<std::uint32_t>(first - from);
  }

  void write_leaf() {
    grown_.test.push_back(0);
    search_.write_leaf(grown_);
  }

  void write_inner(const Pending& node, const Candidate& winner, double gain) {
    SmallTree& tree = grown_;
    const ForestColumn& column = codes_.columns[winner.column];
    const bool by_levels = winner.kind == CutKind::levels;
    bool missing_second = !winner.missing_left;
    const bool has_missing = column.has_missing && std::find(codes_of_node_.begin(), codes_of_node_.begin() + node.n,
                                                             0) != codes_of_node_.begin() + node.n;
    if (!has_missing) missing_second = !search_.first_is_heavier();
    write_test(by_levels ? TestKind::levels : TestKind::threshold, missing_second, winner.column, gain);
    if (!by_levels && rules_.random_cuts && !winner.known_or_missing)
      return late_.push(column, known_range(codes_of_node_.data(), node.n), winner.left_value, tree.threshold);
    tree.threshold.push_back(by_levels ? std::numeric_limits<double>::quiet_NaN() : threshold(node, winner, column));
    if (by_levels) write_levels(node, column);
  }

  void write_test(TestKind kind, bool missing_second, std::int32_t column, double gain) {
    grown_.test.push_back(
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | (missing_second ? kMissingTakesSecond : 0)));
    grown_.column.push_back(column);
    grown_.gain.push_back(gain);
  }

  double threshold(const Pending& node, const Candidate& winner, const ForestColumn& column) const {
    if (winner.known_or_missing) return std::numeric_limits<double>::infinity();
    if (column.kind == Kind::ordinal) return column.highest[winner.bucket - 1];
    const CodesBeside beside = codes_beside(codes_of_node_.data(), node.n, winner.bucket);
    return midpoint(column.highest[beside.left - 1], column.lowest[beside.right - 1]);
  }

  void write_levels(const Pending& node, const ForestColumn& column) {
    SmallTree& tree = grown_;
    if (tree.level_start.empty()) tree.level_start.push_back(0);
    levels_.find(codes_of_node_.data(), node.n, column.n_codes);
    for (const std::uint32_t code : levels_.codes()) {
      tree.level.push_back(column.level_of(code));
      tree.level_branch.push_back(side_[code]);
    }
    tree.level_start.push_back(static_cast<std::uint32_t>(tree.level.size()));
  }

  // What can be told from n_rows alone is not kept.
  void finish() {
    SmallTree& tree = grown_;
    late_.settle(tree.threshold);
    room_.remember(tree);
    bool plain = true, all_pure = true;
    for (std::size_t i = 0; i < tree.n_leaves(); ++i) {
      plain = plain && tree.weight[i] == tree.n_rows[i];
      all_pure = all_pure && tree.impurity[i] == 0;
    }
    if (plain) tree.weight = {};
    if (all_pure) tree.impurity = {};
    keep_leaves(grown_, rules_.recipe.stop.max_leaves, static_cast<std::int32_t>(codes_.n_columns),
                static_cast<std::int32_t>(target_.n_classes));
  }

  const ForestCodes& codes_;
  const Target& target_;
  const ForestRules& rules_;
  Workers& workers_;
  Search search_;
  ColumnDraw draw_;
  std::uint32_t block_rows_ = 0, block_end_ = 0, n_unchecked_ = 0;
  TreeRoom room_;
  double total_ = 0;
  CodeView view_;
  std::vector<Pending> stack_;
  SmallTree grown_;
  PresentLevels levels_;
  RandomLanes lanes_;
  LateThresholds late_;
  std::vector<std::uint32_t> rows_, spare_;
  std::vector<std::uint32_t> together_;
  std::vector<CodeRange> ranges_;
  std::int32_t kept_ = -1;  // the column whose codes are in codes_of_best_
  std::vector<std::uint16_t> codes_of_best_, codes_of_node_, codes_together_;
  SubtreeBlock block_;
  std::vector<std::uint16_t> side_of_row_;  // 1: branch 0, 2: branch 1
  std::vector<std::uint8_t> side_;
};

}  // namespace tw
