// TreeGrower: grows one tree of a forest after the other. Search is PairSearch or ClassSearch.
//
// Nodes are taken from a stack, left branch first, and so written in preorder.
#pragma once

#include <algorithm>  // for min
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/forest/growing_tree.hpp"

namespace tw {

template <class Search>
class TreeGrower : GrowingTree {
 public:
  TreeGrower(const ForestCodes& codes, const Target& target, const ForestRules& rules, Workers& workers)
      : GrowingTree(codes, target, rules, workers), search_(target, rules) {}

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
    take_rows(draws);
    leave_block();
    search_.start_tree(draws);
  }

  void leave_block() {
    forget_block();
    search_.leave_block();
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
    write_inner(node, winner, gain, search_.first_is_heavier());
    n_left = divide(node);
    return true;
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
    const std::uint32_t count = std::min(rules_.max_features, draw_.size());
    for (std::uint32_t first = 0; first < count; first += kTogether) {
      gather_together(std::min(kTogether, count - first), rows, node.n);
      for (std::size_t k = 0; k < together_.size(); ++k) {
        if (node.n >= kManyRows) workers_.checkpoint();
        if (is_beaten(together_[k], best)) continue;
        look(node, together_[k], codes_together_.data() + k * node.n, ranges_[k], best);
      }
    }
    return count;
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

  void write_leaf() {
    grown_.test.push_back(0);
    search_.write_leaf(grown_);
  }

  Search search_;
};

}  // namespace tw
