// BlockGrower: grows the whole subtree of a block of rows from sorted lists. One thread, no recursion.
//
// Search is the part that knows the target. It has number_rows(rows), describe(sprout, arena, words, n, rows) and
// find(lists, begin, n, sprout, arena) → Candidate whose `column` is a list number and whose levels are block ranks.
#pragma once

#include <algorithm>  // for binary_search
#include <cmath>      // for isfinite
#include <vector>     // for vector

#include "base/workers.hpp"
#include "grow/lists.hpp"
#include "grow/recipe.hpp"
#include "grow/sprout.hpp"
#include "grow/threshold_value.hpp"

namespace tw {

template <class Word, class Search>
class BlockGrower {
 public:
  BlockGrower(const Table& table, const Recipe& recipe, Search search, Workers& workers, double root_weight)
      : table_(table), recipe_(recipe), search_(std::move(search)), workers_(workers), root_weight_(root_weight) {}

  Arena grow(std::vector<std::uint32_t> rows, std::uint32_t depth) {
    rows_ = std::move(rows);
    search_.number_rows(rows_);
    lists_.fill(table_, rows_);
    Arena arena;
    const auto n = static_cast<std::uint32_t>(rows_.size());
    arena.sprouts.emplace_back();
    arena.sprouts[0].depth = depth;
    describe_root(arena, n);
    std::vector<Item> open;
    if (lists_.n_columns() > 0) open.push_back({0, 0, n});
    while (!open.empty()) {
      const Item item = open.back();
      open.pop_back();
      workers_.checkpoint();
      split(item, arena, open);
    }
    return arena;
  }

 private:
  struct Item {
    std::uint32_t sprout, begin, n;
  };

  void describe_root(Arena& arena, std::uint32_t n) {
    std::vector<Word> all(n);
    for (std::uint32_t i = 0; i < n; ++i) all[i] = make_word<Word>(0, i);
    search_.describe(arena.sprouts[0], arena, all.data(), n, rows_);
  }

  bool may_split(const Sprout& s) const {
    const StopRules& stop = recipe_.stop;
    return !s.pure && s.depth < stop.max_depth && s.rows >= stop.min_samples_split &&
           s.rows >= 2 * stop.min_samples_leaf && s.rows >= 2;
  }

  void split(const Item& item, Arena& arena, std::vector<Item>& open) {
    if (!may_split(arena.sprouts[item.sprout])) return;
    Candidate cut = search_.find(lists_, item.begin, item.n, arena.sprouts[item.sprout], arena);
    if (!cut.found()) return;
    Sprout test = arena.sprouts[item.sprout];
    const std::uint32_t levels_before = static_cast<std::uint32_t>(arena.levels.size());
    std::uint32_t sizes[3];
    test.n_children = divide(cut, item, test, arena, sizes);
    test.first_child = static_cast<std::uint32_t>(arena.sprouts.size());
    double inside = 0;
    for (std::uint32_t child = 0, begin = item.begin; child < test.n_children; begin += sizes[child++]) {
      Sprout s;
      s.depth = test.depth + 1;
      search_.describe(s, arena, lists_.list(0) + begin, sizes[child], rows_);
      inside += double(s.a) * s.impurity;
      arena.sprouts.push_back(s);
    }
    const double decrease = (double(test.a) * test.impurity - inside) / root_weight_;
    if (recipe_.stop.min_impurity_decrease > 0 && decrease < recipe_.stop.min_impurity_decrease - 1e-12) {
      arena.sprouts.resize(test.first_child);
      arena.levels.resize(levels_before);
      return;
    }
    choose_missing_branch(cut, test, arena);
    arena.sprouts[item.sprout] = test;
    std::uint32_t begin = item.begin + item.n;
    for (std::uint32_t child = test.n_children; child-- > 0;) {  // the first child is taken next
      begin -= sizes[child];
      open.push_back({test.first_child + child, begin, sizes[child]});
    }
  }

  // Marks every row's side, divides the lists, and writes the test into `test`. Returns the number of branches.
  std::uint32_t divide(const Candidate& cut, const Item& item, Sprout& test, Arena& arena, std::uint32_t sizes[3]) {
    const auto k = static_cast<std::size_t>(cut.column);
    const Word* list = lists_.list(k) + item.begin;
    const Column& column = lists_.coded(k);
    std::uint32_t n_missing = 0;
    while (n_missing < item.n && rank_of(list[n_missing]) == 0) ++n_missing;
    test.kind = cut.kind;
    test.column = lists_.column(k);
    const bool own_branch = recipe_.missing == MissingPolicy::branch && n_missing > 0;
    std::uint32_t n = item.n;
    if (own_branch) {
      for (std::uint32_t i = 0; i < n; ++i) mark(list[i], i < n_missing);
      n = lists_.divide(item.begin, item.n);
      sizes[2] = item.n - n;
      list = lists_.list(k) + item.begin;  // known rows only now, still ascending
      n_missing = 0;
    }
    const Word* known = list + n_missing;
    if (cut.kind == CutKind::threshold)
      mark_threshold(cut, known, n - n_missing, column, test);
    else
      mark_levels(cut, known, n - n_missing, column, test, arena);
    const bool missing_right = n_missing > 0 && missing_goes_right(cut, known, n - n_missing);
    for (std::uint32_t i = 0; i < n_missing; ++i) mark(list[i], missing_right);
    if (n_missing > 0) test.missing_branch = missing_right;
    sizes[0] = lists_.divide(item.begin, n);
    sizes[1] = n - sizes[0];
    if (own_branch) test.missing_branch = 2;
    return own_branch ? 3 : 2;
  }

  void mark(Word word, bool right) {
    if (right)
      lists_.set_bit(row_of(word));
    else
      lists_.clear_bit(row_of(word));
  }
  bool marked(Word word) const { return lists_.bit(row_of(word)); }

  void mark_threshold(const Candidate& cut, const Word* known, std::uint32_t n, const Column& column, Sprout& test) {
    for (std::uint32_t i = 0; i < n; ++i) mark(known[i], i >= cut.cut);
    test.threshold = cut.known_or_missing
                         ? std::numeric_limits<double>::infinity()
                         : threshold_between(column, lists_.table_row(known[cut.cut - 1]), lists_.table_row(known[cut.cut]));
  }

  void mark_levels(const Candidate& cut, const Word* known, std::uint32_t n, const Column& column, Sprout& test,
                   Arena& arena) {
    test.level_begin = static_cast<std::uint32_t>(arena.levels.size());
    bool right = false;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t rank = rank_of(known[i]);
      if (i == 0 || rank != rank_of(known[i - 1])) {
        right = !std::binary_search(cut.left_levels.begin(), cut.left_levels.end(), rank);
        arena.levels.push_back({column.code(lists_.table_row(known[i])), static_cast<std::uint16_t>(right)});
      }
      mark(known[i], right);
    }
    test.n_levels = static_cast<std::uint32_t>(arena.levels.size()) - test.level_begin;
  }

  bool missing_goes_right(const Candidate& cut, const Word* known, std::uint32_t n) {
    if (recipe_.missing == MissingPolicy::learn) return !cut.missing_left;
    std::int64_t balance = 0;  // known weight right minus left; the left branch takes a tie
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::int64_t w = search_.weight(row_of(known[i]));
      balance += marked(known[i]) ? w : -w;
    }
    return balance > 0;
  }

  // No training row was missing here: later ones follow the branch with more weight.
  void choose_missing_branch(const Candidate&, Sprout& test, const Arena& arena) const {
    if (test.missing_branch >= 0) return;
    const Sprout* child = &arena.sprouts[test.first_child];
    test.missing_branch = child[1].a > child[0].a;
  }

  const Table& table_;
  const Recipe& recipe_;
  Search search_;
  Workers& workers_;
  double root_weight_;
  std::vector<std::uint32_t> rows_;
  Lists<Word> lists_;
};

}  // namespace tw
