// CodeNodes: the nodes of a tree with best cuts. Search is PairLists or ClassLists.
//
// Large nodes gather the codes of one column after the other. A subtree whose rows can be numbered in 16 bits moves
// house: its columns become sorted lists, where the search has a use for them and looks at enough of the columns to pay
// for dividing all; else its codes are copied next to each other.
#pragma once

#include <algorithm>  // for copy_n, max, min, swap
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "grow/candidate.hpp"
#include "grow/forest/growing_from_codes.hpp"
#include "grow/forest/lists/block_lists.hpp"
#include "grow/forest/lists/key_lanes.hpp"

namespace tw {

template <class SearchOfNode>
class CodeNodes : protected GrowingFromCodes {
 public:
  CodeNodes(const ForestCodes& codes, const Target& target, const ForestRules& rules, Workers& workers)
      : GrowingFromCodes(codes, target, rules, workers), search_(target, rules) {
    for (const ForestColumn& column : codes.columns) all_plain_ &= column.ordered() && !column.has_missing;
  }

 protected:
  using Search = SearchOfNode;

  void start(const Draws& draws) {
    take_rows(draws);
    make_room();
    leave_block();
    search_.start_tree(draws);
  }

  void enter_or_leave_block(const Pending& node) {
    if (node.begin < block_end_) return;
    if (block_end_ > 0) leave_block();
    if constexpr (Search::kLists)
      if (enter_lists(node)) return;
    if (node.n > block_rows_ || node.n < 3) return choose_view(node);
    std::uint32_t* rows = rows_.data() + node.begin;
    search_.enter_block(rows, node.n);
    block_end_ = node.begin + node.n;
    view_ = block_.by_columns(codes_, rows, node.n);
  }

  // Draws columns and divides the rows by the best split; false when there is none.
  bool split(const Pending& node, std::uint32_t& n_left) {
    const std::uint32_t* rows = rows_.data() + node.begin;
    draw_.start(node.key);
    together_.clear();
    kept_ = -1;
    if constexpr (Search::kCounts) search_.look_closer(rows);
    if constexpr (Search::kLists) {
      if (in_lists_ && node.n > Search::kMostWithoutLists) in_lists_ = search_.takes_lists();
      if (in_lists_ && node.n > Search::kMostWithoutLists) return split_by_lists(node, n_left);
      if (in_lists_ && node.n == 2 && (all_plain_ || search_.side_of_two() == 0)) return split_two(node, n_left);
      if (in_lists_ && search_.takes_lanes()) return split_by_lanes(node, n_left);
    }
    Best best(search_.best_possible(), tie_key());
    std::uint32_t n_drawn = view_.by_columns() ? 0 : look_at_once(node, rows, best);
    for (; n_drawn < draw_.size(); ++n_drawn) {
      // Columns that cannot divide the node count too, but the search goes on until one can (as scikit-learn does).
      if (n_drawn >= rules_.max_features && best.get().found()) break;
      const std::uint32_t column = draw_.next();
      if (is_beaten(column, best)) continue;
      view_.gather(column, rows, node.n, codes_of_node_.data());
      look(column, codes_of_node_.data(), known_range(codes_of_node_.data(), node.n), best);
      if (best.get().column != static_cast<std::int32_t>(column)) continue;
      std::swap(codes_of_node_, codes_of_best_);
      kept_ = best.get().column;
    }
    return best.get().found() && divide_by(node, best, n_left);
  }

 private:
  static constexpr std::size_t kListBytes = 64 << 20;  // of the lists of a subtree
  static constexpr std::uint32_t kColumnsForOne = 5;   // so many lists may be divided for one that is looked at

  bool enter_lists(const Pending& node) {
    const std::size_t p = std::max<std::size_t>(1, codes_.n_columns);
    const std::size_t most = std::min<std::size_t>(BlockLists::kMostRows, kListBytes / (6 * p));
    if (node.n > most || node.n < 3 || !search_.wants_lists()) return false;
    if (std::size_t{rules_.max_features} * kColumnsForOne < p) return false;
    std::uint32_t* rows = rows_.data() + node.begin;
    search_.enter_block(rows, node.n);
    block_begin_ = node.begin, block_end_ = node.begin + node.n;
    view_ = block_.by_rows(codes_, rows, node.n);
    if (node.n > Search::kMostWithoutLists) lists_.fill(view_.base, view_.row_step, node.n, codes_.columns);
    return in_lists_ = true;
  }

  bool split_by_lists(const Pending& node, std::uint32_t& n_left) {
    const std::uint32_t* rows = rows_.data() + node.begin;
    const std::uint32_t n_columns = draw_.size(), count = std::min(rules_.max_features, n_columns);
    Best best(search_.best_possible(), tie_key());
    search_.start_lists(rows, node.n);
    together_.clear(), of_levels_.clear(), kept_ = -1;
    if (count < n_columns) draw_.start(node.key);
    for (std::uint32_t n_drawn = 0; n_drawn < n_columns; ++n_drawn) {
      if (n_drawn >= count && best.get().found()) break;
      look_by_list(node, count < n_columns ? draw_.next() : n_drawn);
      if (n_drawn + 1 < count) continue;
      search_.offer_scanned(best);
      for (const std::uint32_t column : search_.may_have_won()) look_at_codes(node, column, best);
      for (const std::uint32_t column : of_levels_) look_at_codes(node, column, best);  // a good score spares them much
      of_levels_.clear();
    }
    if (!best.get().found()) return false;
    const bool divided = search_.is_in_order(best) ? divide_by_list(node, best, n_left) : divide_by(node, best, n_left);
    if (divided) divide_lists(node, n_left);
    return divided;
  }

  // For the branches that will look at them.
  void divide_lists(const Pending& node, std::uint32_t n_left) {
    const bool first = n_left > Search::kMostWithoutLists, second = node.n - n_left > Search::kMostWithoutLists;
    if (first || second)
      lists_.divide(node.begin - block_begin_, node.n, n_left, rows_.data() + node.begin,
                    first && second ? Part::both
                    : first         ? Part::first
                                    : Part::second);
  }

  void look_by_list(const Pending& node, std::uint32_t column) {
    if (node.n >= kManyRows) workers_.checkpoint();
    const std::uint32_t* list = lists_.list(column, node.begin - block_begin_);
    if (!lists_.has_list(column)) return of_levels_.push_back(column);
    if (rank_of(list[0]) != 0) return search_.scan(static_cast<std::int32_t>(column), list);
    search_.scan_with_missing(static_cast<std::int32_t>(column), list, lists_.missing_behind(list, node.n));
  }

  void look_at_codes(const Pending& node, std::uint32_t column, Best& best) {
    view_.gather(column, rows_.data() + node.begin, node.n, codes_of_node_.data());
    look(column, codes_of_node_.data(), known_range(codes_of_node_.data(), node.n), best);
  }

  bool divide_by_list(const Pending& node, const Best& best, std::uint32_t& n_left) {
    const double gain = search_.gain_of_best();
    if (!gains_enough(gain, search_.weight())) return false;
    const std::uint32_t* list = search_.list_of_best();
    n_left = best.get().cut;
    write_cut(best.get().column, rank_of(list[n_left - 1]), rank_of(list[n_left]), gain, search_.first_is_heavier());
    for (std::uint32_t i = 0; i < node.n; ++i) rows_[node.begin + i] = row_of(list[i]);
    return true;
  }

  // A node of few rows.
  bool split_by_lanes(const Pending& node, std::uint32_t& n_left) {
    const std::uint32_t n_columns = draw_.size(), count = std::min(rules_.max_features, n_columns);
    Best best(search_.best_possible(), tie_key());
    search_.start_lanes();
    const std::uint32_t most = all_plain_ ? kMostKeyLanes : kMostKeyLanes / 2;  // a column may need two lanes
    for (std::uint32_t n_drawn = 0; n_drawn < n_columns && !(n_drawn >= count && best.get().found());) {
      const std::uint32_t some = n_drawn < count ? std::min(most, count - n_drawn) : 1;
      for (std::uint32_t k = 0; k < some; ++k) drawn_[k] = count < n_columns ? draw_.next() : n_drawn + k;
      if (all_plain_)
        look_in_lanes(node, some, some, best);
      else
        look_at_mixed(node, some, best);
      n_drawn += some;
    }
    if (!best.get().found()) return false;
    return search_.is_in_order(best) ? divide_by_keys(node, best, n_left) : divide_by(node, best, n_left);
  }

  void look_in_lanes(const Pending& node, std::uint32_t n_known, std::uint32_t n_lanes, Best& best) {
    fill_keys(node, n_known, n_lanes);
    search_.look(keys_, drawn_, n_known, n_lanes, best);
  }

  // Columns of levels are looked at one by one. Those with missing rows get two lanes, with these rows in front and
  // behind, and are looked at only if a cut of these may have won.
  void look_at_mixed(const Pending& node, std::uint32_t n_drawn, Best& best) {
    std::uint32_t n_known = 0, n_missing = 0, with_missing[kMostKeyLanes / 2];
    of_levels_.clear();
    for (std::uint32_t k = 0; k < n_drawn; ++k) {
      const ForestColumn& column = codes_.columns[drawn_[k]];
      if (!column.ordered())
        of_levels_.push_back(drawn_[k]);
      else if (column.has_missing && is_missing_here(node, drawn_[k]))
        with_missing[n_missing++] = drawn_[k];
      else
        drawn_[n_known++] = drawn_[k];
    }
    for (std::uint32_t k = 0; k < n_missing; ++k)
      drawn_[n_known + 2 * k] = drawn_[n_known + 2 * k + 1] = with_missing[k];
    if (n_known + n_missing > 0) {
      look_in_lanes(node, n_known, n_known + 2 * n_missing, best);
      for (const std::uint32_t column : search_.may_have_won()) look_at_codes(node, column, best);
    }
    for (const std::uint32_t column : of_levels_) look_at_codes(node, column, best);
  }

  bool is_missing_here(const Pending& node, std::uint32_t column) const {
    const std::uint32_t* rows = rows_.data() + node.begin;
    bool any = false;
    for (std::uint32_t i = 0; i < node.n; ++i) any |= view_.base[rows[i] * view_.row_step + column] == 0;
    return any;
  }

  // Two rows: no limits are in the way, or the node would not be split, or not be in lists. Every column in which they
  // differ divides them alike, by levels and by what is missing too.
  bool split_two(const Pending& node, std::uint32_t& n_left) {
    std::uint32_t* rows = rows_.data() + node.begin;
    const std::uint16_t *first = view_.base + rows[0] * view_.row_step, *second = view_.base + rows[1] * view_.row_step;
    const std::uint32_t column = column_of_two(first, second, search_.side_of_two());
    if (column == draw_.size()) return false;
    if (!codes_.columns[column].ordered() || first[column] == 0 || second[column] == 0) {
      Best best(search_.best_possible(), tie_key());
      look_at_codes(node, column, best);
      return best.get().found() && divide_by(node, best, n_left);
    }
    const bool second_is_left = second[column] < first[column];
    const double gain = search_.gain_of_two(second_is_left);
    if (!gains_enough(gain, search_.weight())) return false;
    write_cut(static_cast<std::int32_t>(column), std::min(first[column], second[column]),
              std::max(first[column], second[column]), gain, search_.first_is_heavier());
    if (second_is_left) std::swap(rows[0], rows[1]);
    n_left = 1;
    return true;
  }

  // From lane n_known on a column stands twice: as it is, where missing rows have the smallest code, and with the
  // largest one for them.
  void fill_keys(const Pending& node, std::uint32_t n_known, std::uint32_t n_lanes) {
    const std::uint32_t* rows = rows_.data() + node.begin;
    const std::uint32_t end = (n_lanes + kKeyLanes - 1) / kKeyLanes * kKeyLanes;
    const bool side_by_side = all_plain_ && rules_.max_features >= draw_.size();  // all columns in their order
    for (std::uint32_t i = 0; i < node.n; ++i) {
      const std::uint16_t* codes = view_.base + rows[i] * view_.row_step;
      std::uint32_t* keys = keys_.keys[i];
      if (side_by_side)
        widen_codes(codes + drawn_[0], n_lanes, i, keys);
      else
        for (std::uint32_t k = 0; k < n_lanes; ++k) keys[k] = make_word<std::uint32_t>(codes[drawn_[k]], i);
      for (std::uint32_t k = n_known + 1; k < n_lanes; k += 2)
        keys[k] = make_word<std::uint32_t>(static_cast<std::uint16_t>(codes[drawn_[k]] - 1), i);
      for (std::uint32_t k = n_lanes; k < end; ++k) keys[k] = i;
    }
  }

  bool divide_by_keys(const Pending& node, const Best& best, std::uint32_t& n_left) {
    const double gain = search_.gain_of_best();
    if (!gains_enough(gain, search_.weight())) return false;
    const std::uint32_t* keys = search_.order_of_best().keys;
    n_left = best.get().cut;
    write_cut(best.get().column, rank_of(keys[n_left - 1]), rank_of(keys[n_left]), gain, search_.first_is_heavier());
    std::uint32_t* rows = rows_.data() + node.begin;
    std::copy_n(rows, node.n, spare_.data());
    for (std::uint32_t i = 0; i < node.n; ++i) rows[i] = spare_[row_of(keys[i])];
    return true;
  }

  // By the codes of the winning column.
  bool divide_by(const Pending& node, const Best& best, std::uint32_t& n_left) {
    const Candidate& winner = best.get();
    fetch_codes(winner.column, rows_.data() + node.begin, node.n);
    mark_sides(node, winner);
    const double gain = search_.gain(side_of_row_.data());
    if (!gains_enough(gain, search_.weight())) return false;
    write_inner(node, winner, gain, search_.first_is_heavier());
    n_left = divide(node);
    return true;
  }

  // The first columns of a node, some of them fetched together: where rows are far apart, each is fetched once.
  std::uint32_t look_at_once(const Pending& node, const std::uint32_t* rows, Best& best) {
    const std::uint32_t count = std::min(rules_.max_features, draw_.size());
    for (std::uint32_t first = 0; first < count; first += kTogether) {
      gather_together(std::min(kTogether, count - first), rows, node.n);
      for (std::size_t k = 0; k < together_.size(); ++k) {
        if (node.n >= kManyRows) workers_.checkpoint();
        if (is_beaten(together_[k], best)) continue;
        look(together_[k], codes_together_.data() + k * node.n, ranges_[k], best);
      }
    }
    return count;
  }

  void leave_block() {
    in_lists_ = false;
    forget_block();
    search_.leave_block();
  }

  // A split that leaves nothing to gain can only be tied.
  static bool is_beaten(std::uint32_t column, const Best& best) {
    return best.get().share() >= 1 && !best.wins_ties(static_cast<std::int32_t>(column));
  }

  void look(std::uint32_t column, const std::uint16_t* codes, const CodeRange& range, Best& best) {
    if (range.constant()) return;
    search_.look(codes_.columns[column], static_cast<std::int32_t>(column), codes, range, best);
  }

  BlockLists lists_;
  KeyLanes keys_;
  std::uint32_t drawn_[kMostKeyLanes];
  std::vector<std::uint32_t> of_levels_;  // columns drawn that wait until the others are looked at
  bool all_plain_ = true;                 // columns: numbers or ordinal scales, none missing
  std::uint32_t block_begin_ = 0;
  bool in_lists_ = false;

 protected:
  Search search_;
};

}  // namespace tw
