#include "grow/exact/block_grower.hpp"

#include <algorithm>  // for binary_search, sort
#include <cmath>      // for isfinite
#include <utility>    // for pair
#include <vector>     // for vector

#include "grow/exact/lists.hpp"
#include "grow/exact/missing_branch.hpp"
#include "grow/exact/surrogate_finder.hpp"
#include "grow/may_split.hpp"
#include "grow/recipe.hpp"
#include "grow/threshold_value.hpp"

namespace tw {

template <class Word>
class BlockGrower<Word>::Growing {
 public:
  Growing(const GrowthInputs& in, std::unique_ptr<BlockSearch<Word>> search)
      : in_(in), table_(in.table), recipe_(in.recipe), search_(std::move(search)), workers_(in.workers),
        root_weight_(in.root_weight), lists_(in.workers), surrogates_(in.table, in.target, in.recipe.surrogates) {}

  Arena grow(std::vector<std::uint32_t> rows, std::uint32_t depth, HandedOut* handed_out = nullptr) {
    rows_ = std::move(rows);
    search_->number_rows(rows_);
    lists_.fill(table_, rows_);
    if (recipe_.surrogates.asked) surrogates_.number_rows(rows_);
    Arena arena = start_arena(depth);
    grow_below(0, arena, handed_out);
    return arena;
  }

  const Lists<Word>& lists() const { return lists_; }

  // Grows a node of a larger block, which is the slice [begin, begin + n) of its lists.
  template <class OtherWord>
  void grow_part(const Lists<OtherWord>& from, std::uint32_t begin, std::uint32_t n, std::uint32_t node, Arena& arena) {
    move_in(from, begin, n);
    grow_below(node, arena, nullptr);
  }
  template <class OtherWord>
  Arena grow_part(const Lists<OtherWord>& from, std::uint32_t begin, std::uint32_t n, std::uint32_t depth) {
    move_in(from, begin, n);
    Arena arena = start_arena(depth);
    grow_below(0, arena, nullptr);
    return arena;
  }

 private:
  template <class OtherWord>
  void move_in(const Lists<OtherWord>& from, std::uint32_t begin, std::uint32_t n) {
    const OtherWord* words = from.list(0) + begin;
    is_here_.resize(from.n_rows(), 0);
    number_of_.resize(from.n_rows());
    rows_.clear();
    for (std::uint32_t i = 0; i < n; ++i) is_here_[row_of(words[i])] = 1;
    for (std::uint32_t row = 0; row < from.n_rows(); ++row)  // in the same order: the search may rely on it
      if (is_here_[row]) {
        is_here_[row] = 0;
        number_of_[row] = static_cast<std::uint32_t>(rows_.size());
        rows_.push_back(from.table_row(make_word<OtherWord>(0, row)));
      }
    search_->number_rows(rows_);
    lists_.fill_from(from, begin, rows_, number_of_.data());
    if (recipe_.surrogates.asked) surrogates_.number_rows(rows_);
  }

  Arena start_arena(std::uint32_t depth) {
    Arena arena;
    arena.nodes.reserve(2 * std::min<std::size_t>(rows_.size(), WordParts<std::uint32_t>::kMaxRows));
    arena.nodes.emplace_back();
    arena.nodes[0].depth = depth;
    describe_root(arena, static_cast<std::uint32_t>(rows_.size()));
    return arena;
  }

  struct Item {
    std::uint32_t node, begin, n;
    bool in_lanes = false;  // its rows are in few_, no longer in the lists
  };

  // A stretch of the chosen column's list that goes to one side.
  struct Run {
    std::uint32_t begin, n;
    bool right;
  };
  using Runs = std::vector<Run>;

  // Grows the subtree of a node that is all rows of the block.
  void grow_below(std::uint32_t node, Arena& arena, HandedOut* handed_out) {
    const auto n = static_cast<std::uint32_t>(rows_.size());
    has_lanes_ = search_->has_lanes() && lists_.codes().fits() && grows_alone() &&
                 (recipe_.missing == MissingPolicy::learn || !lists_.has_missing());
    few_.resize(has_lanes_ ? n : 0);
    std::vector<Item> open;
    if (lists_.n_columns() > 0) open.push_back({node, 0, n});
    while (!open.empty()) {
      const Item item = open.back();
      open.pop_back();
      workers_.checkpoint();
      if (handed_out && item.n <= handed_out->limit)
        hand_out(item, arena.nodes[item.node], *handed_out);
      else if (item.n <= kCodedRows && n > kCodedRows && search_->has_lanes() && grows_alone())
        grow_in_small_block(item, arena);
      else
        split(item, arena, open);
    }
    // The numbers of a table lie far apart, and reading many one after the other takes less time than each for itself.
    for (const auto& [at, rows] : thresholds_)
      arena.nodes[at].threshold = rows.threshold(table_.columns[arena.nodes[at].column]);
    thresholds_.clear();
  }

  // Whether a node needs nothing but its own best split.
  bool grows_alone() const { return !recipe_.surrogates.asked && recipe_.competitors == 0; }

  // A part that has become small enough moves once more, into lists of its own with ranks by rows beside them.
  void grow_in_small_block(const Item& item, Arena& arena) {
    if (!may_split(arena.nodes[item.node], recipe_.stop)) return;
    if (!small_block_)
      small_block_ = std::make_unique<typename BlockGrower<std::uint32_t>::Growing>(in_, search_->narrow());
    small_block_->grow_part(lists_, item.begin, item.n, item.node, arena);
  }

  void hand_out(const Item& item, GrowingNode& s, HandedOut& handed_out) const {
    if (!may_split(s, recipe_.stop)) return;
    handed_out.jobs.push_back({item.begin, item.n, s.depth});
    s.subtree = static_cast<std::int32_t>(handed_out.jobs.size());
  }

  void describe_root(Arena& arena, std::uint32_t n) {
    std::vector<Word> all(n);
    for (std::uint32_t i = 0; i < n; ++i) all[i] = make_word<Word>(0, i);
    search_->describe(arena.nodes[0], arena, all.data(), n, rows_);
  }

  void split(const Item& item, Arena& arena, std::vector<Item>& open) {
    if (!may_split(arena.nodes[item.node], recipe_.stop)) return;
    each_.clear();
    Candidate cut =
        item.in_lanes ? search_->find_in_lanes(lists_, few_.data() + item.begin, item.n, arena.nodes[item.node], arena)
                      : search_->find(lists_, item.begin, item.n, arena.nodes[item.node], arena,
                                      recipe_.competitors > 0 ? &each_ : nullptr);
    if (!cut.found() || (recipe_.surrogates.asked && cut.quantum <= 0)) return;  // as rpart: no split without a gain
    GrowingNode test = arena.nodes[item.node];
    const GrowingNode before = test_begins(arena);
    if (recipe_.competitors > 0) keep_competitors(cut, item, test, arena);
    test.improvement = improvement(cut, test);
    const auto k = static_cast<std::size_t>(cut.column);
    std::uint32_t sizes[3];
    others_wait_ = false;
    if (item.in_lanes)
      test.n_children = divide_in_lanes(cut, item, test, arena, sizes);
    else
      test.n_children = divide(cut, item, test, arena, sizes);
    test.first_child = static_cast<std::uint32_t>(arena.nodes.size());
    const Word* words = item.in_lanes ? few_.data() + item.begin : lists_.list(k) + item.begin;
    describe_children(test, item.n, words, sizes, arena);
    if (!lowers_impurity(test, arena)) {
      arena.nodes.resize(test.first_child);
      arena.levels.resize(before.level_begin);
      arena.surrogates.resize(before.surrogate_begin);
      arena.competitors.resize(before.competitor_begin);
      return;
    }
    if (!recipe_.surrogates.asked && test.missing_branch < 0) {
      const GrowingNode* child = &arena.nodes[test.first_child];
      test.missing_branch = branch_of_later_missing(child[0].a, child[1].a);
    }
    arena.nodes[item.node] = test;
    if (test.kind == CutKind::threshold) thresholds_.emplace_back(item.node, between_);
    open_children(item, test, k, sizes, arena, open);
  }

  // Children that are leaves are forgotten, small ones are grown in lanes, and only the others are divided in every
  // list.
  void open_children(const Item& item, const GrowingNode& test, std::size_t k, const std::uint32_t sizes[3],
                     const Arena& arena, std::vector<Item>& open) {
    bool in_lists[3] = {};
    std::uint32_t begin = item.begin + item.n;
    if (test.n_children == 2) begin = item.begin + sizes[0] + sizes[1];
    for (std::uint32_t child = test.n_children; child-- > 0;) {  // the first child is taken next
      begin -= sizes[child];
      const GrowingNode& s = arena.nodes[test.first_child + child];
      if (!may_split(s, recipe_.stop)) continue;
      const bool in_lanes = item.in_lanes || (has_lanes_ && s.rows <= kLaneRows && search_->fits_lanes(s));
      if (in_lanes && !item.in_lanes)
        std::copy(lists_.list(k) + begin, lists_.list(k) + begin + sizes[child], few_.data() + begin);
      in_lists[child] = !in_lanes;
      open.push_back({test.first_child + child, begin, sizes[child], in_lanes});
    }
    if (!others_wait_ || (!in_lists[0] && !in_lists[1])) return;
    lists_.divide_others(k, item.begin, item.n, sizes[0],
                         !in_lists[1]   ? Part::first
                         : !in_lists[0] ? Part::second
                                        : Part::both);
  }

  // The rows are in the order of the column that was found.
  std::uint32_t divide_in_lanes(const Candidate& cut, const Item& item, GrowingNode& test, Arena& arena,
                                std::uint32_t sizes[3]) {
    Word* words = few_.data() + item.begin;
    test.kind = cut.kind;
    test.column = lists_.column(static_cast<std::size_t>(cut.column));
    if (cut.kind == CutKind::threshold && rank_of(words[0]) != 0) {
      between_ = between(cut, words);
      sizes[0] = cut.cut, sizes[1] = item.n - cut.cut;
      return 2;
    }
    Runs runs;
    write_runs(cut, words, item.n, test, arena, runs);
    Word parts[kLaneRows];
    sizes[0] = sizes[1] = 0;
    for (const bool right : {false, true})
      for (const Run& run : runs)
        if (run.right == right) {
          std::copy(words + run.begin, words + run.begin + run.n, parts + sizes[0] + sizes[1]);
          sizes[right] += run.n;
        }
    std::copy(parts, parts + item.n, words);
    return 2;
  }

  // The runs of a list by a cut of its column, its missing rows as the cut sends them.
  void write_runs(const Candidate& cut, const Word* list, std::uint32_t n, GrowingNode& test, Arena& arena,
                  Runs& runs) {
    std::uint32_t n_missing = 0;
    while (n_missing < n && rank_of(list[n_missing]) == 0) ++n_missing;
    const Column& column = lists_.coded(static_cast<std::size_t>(cut.column));
    if (cut.kind == CutKind::threshold)
      threshold_runs(cut, list + n_missing, n - n_missing, n_missing, runs);
    else
      level_runs(cut, list + n_missing, n - n_missing, n_missing, column, test, arena, runs);
    if (n_missing == 0 || recipe_.surrogates.asked) return;
    const bool right = missing_branch(recipe_.missing, cut, [&] { return balance_of(list, runs); });
    test.missing_branch = right;
    runs.push_back({0, n_missing, right});
  }

  // Where the lists of the arena end before a test is written.
  static GrowingNode test_begins(const Arena& arena) {
    GrowingNode s;
    s.level_begin = static_cast<std::uint32_t>(arena.levels.size());
    s.surrogate_begin = static_cast<std::uint32_t>(arena.surrogates.size());
    s.competitor_begin = static_cast<std::uint32_t>(arena.competitors.size());
    return s;
  }

  // The gain per weight of the node, or NaN where the criterion's score is no gain of impurity.
  double improvement(const Candidate& cut, const GrowingNode& node) const {
    const CriterionName criterion = recipe_.criterion;
    if (criterion == CriterionName::hellinger || criterion == CriterionName::twoing)
      return std::numeric_limits<double>::quiet_NaN();
    return cut.share() * node.impurity;
  }

  void keep_competitors(const Candidate& winner, const Item& item, GrowingNode& test, Arena& arena) {
    std::sort(each_.begin(), each_.end(), better);
    test.competitor_begin = static_cast<std::uint32_t>(arena.competitors.size());
    for (const Candidate& other : each_) {
      if (other.column == winner.column) continue;
      if (test.n_competitors == recipe_.competitors || other.quantum <= 0) break;
      Competitor kept = competitor(other, item);
      kept.improvement = improvement(other, test);
      arena.competitors.push_back(std::move(kept));
      ++test.n_competitors;
    }
  }

  Competitor competitor(const Candidate& cut, const Item& item) const {
    const auto k = static_cast<std::size_t>(cut.column);
    const Word* known = lists_.list(k) + item.begin;
    std::uint32_t n = item.n;
    while (n > 0 && rank_of(known[0]) == 0) ++known, --n;
    GrowingNode test;
    Arena arena;
    Runs runs;
    if (cut.kind == CutKind::threshold) {
      const Between rows = between(cut, known);
      return {lists_.column(k), rows.threshold(lists_.coded(k)), 0, {}};
    }
    level_runs(cut, known, n, 0, lists_.coded(k), test, arena, runs);
    return {lists_.column(k), std::numeric_limits<double>::quiet_NaN(), 0, std::move(arena.levels)};
  }

  bool lowers_impurity(const GrowingNode& test, const Arena& arena) const {
    if (!(recipe_.stop.min_impurity_decrease > 0)) return true;
    double inside = 0, gone = 0;  // rows that stop at the node gain nothing
    for (std::uint32_t child = 0; child < test.n_children; ++child) {
      const GrowingNode& s = arena.nodes[test.first_child + child];
      inside += double(s.a) * s.impurity, gone += double(s.a);
    }
    return (gone * test.impurity - inside) / root_weight_ >= recipe_.stop.min_impurity_decrease - 1e-12;
  }

  // The largest child is described by what the others leave over, where the summary allows it. words: the rows of one
  // child after the other.
  void describe_children(const GrowingNode& test, std::uint32_t n, const Word* words, const std::uint32_t sizes[3],
                         Arena& arena) {
    std::uint32_t largest = 0, together = sizes[0];
    for (std::uint32_t child = 1; child < test.n_children; together += sizes[child++])
      if (sizes[child] > sizes[largest]) largest = child;
    const bool by_difference = search_->describes_by_difference() && together == n;  // no row stops here
    arena.nodes.resize(test.first_child + test.n_children);
    GrowingNode rest = test;
    for (std::uint32_t child = 0; child < test.n_children; words += sizes[child++]) {
      GrowingNode s;
      s.depth = test.depth + 1;
      if (child == largest && by_difference) continue;
      search_->describe(s, arena, words, sizes[child], rows_);
      rest.a -= s.a, rest.b -= s.b, rest.rows -= s.rows;
      arena.nodes[test.first_child + child] = s;
    }
    if (!by_difference) return;
    GrowingNode s;
    s.depth = test.depth + 1;
    s.a = rest.a, s.b = rest.b, s.rows = rest.rows;
    search_->describe_sums(s);
    arena.nodes[test.first_child + largest] = s;
  }

  // Divides the lists by a cut and writes the test into `test`. Returns the number of branches and their sizes.
  std::uint32_t divide(const Candidate& cut, const Item& item, GrowingNode& test, Arena& arena,
                       std::uint32_t sizes[3]) {
    const auto k = static_cast<std::size_t>(cut.column);
    const Word* list = lists_.list(k) + item.begin;
    std::uint32_t n_missing = 0;
    while (n_missing < item.n && rank_of(list[n_missing]) == 0) ++n_missing;
    test.kind = cut.kind;
    test.column = lists_.column(k);
    std::uint32_t n = item.n;
    const bool own_branch = recipe_.missing == MissingPolicy::branch && n_missing > 0;
    if (own_branch) {  // the missing rows go last; the known ones, still in order, are divided below
      const std::uint32_t n_known = n - n_missing;
      divide_runs({{0, n_missing, true}, {n_missing, n_known, false}}, item.begin, n, k);
      sizes[2] = n_missing;
      n = n_known, n_missing = 0;
      list = lists_.list(k) + item.begin;
    }
    Runs runs;
    write_runs(cut, list, n, test, arena, runs);
    if (recipe_.surrogates.asked) {
      divide_with_surrogates(item, k, n_missing, std::move(runs), test, arena, sizes);
      return 2;
    }
    sizes[0] = divide_own(runs, item.begin, n, k);
    sizes[1] = n - sizes[0];
    others_wait_ = !own_branch;
    if (!own_branch) return 2;
    lists_.divide_others(k, item.begin, n, sizes[0], Part::both);
    test.missing_branch = 2;
    return 3;
  }

  // Rows without a value follow the node's surrogates. Those that nothing can send are put behind both branches and
  // stay.
  void divide_with_surrogates(const Item& item, std::size_t k, std::uint32_t n_missing, Runs runs, GrowingNode& test,
                              Arena& arena, std::uint32_t sizes[3]) {
    const Word* list = lists_.list(k) + item.begin;
    find_surrogates(list, item, k, n_missing, runs, test, arena);
    std::vector<std::int32_t> branches;
    Runs stopping;
    std::uint32_t n_stop = 0;
    for (std::uint32_t i = 0; i < n_missing; ++i) {
      const std::int32_t branch = surrogates_.branch_of(lists_.table_row(list[i]));
      stopping.push_back({i, 1, branch < 0});
      if (branch < 0)
        ++n_stop;
      else
        branches.push_back(branch);
    }
    if (n_stop > 0) {
      stopping.push_back({n_missing, item.n - n_missing, false});
      divide_runs(stopping, item.begin, item.n, k);
    }
    for (Run& run : runs) run.begin -= n_stop;
    for (std::uint32_t i = 0; i < branches.size(); ++i) runs.push_back({i, 1, branches[i] == 1});
    const std::uint32_t n = item.n - n_stop;
    sizes[0] = divide_runs(runs, item.begin, n, k);
    sizes[1] = n - sizes[0], sizes[2] = n_stop;
  }

  void find_surrogates(const Word* list, const Item& item, std::size_t k, std::uint32_t n_missing, const Runs& runs,
                       GrowingNode& test, Arena& arena) {
    surrogates_.send(list, n_missing, 0);
    for (const Run& run : runs) surrogates_.send(list + run.begin, run.n, run.right ? -1 : 1);
    surrogates_.add_up(list, item.n);
    test.missing_branch = surrogates_.majority();
    const std::vector<Surrogate>& found = surrogates_.find(lists_, item.begin, item.n, k);
    test.surrogate_begin = static_cast<std::uint32_t>(arena.surrogates.size());
    test.n_surrogates = static_cast<std::uint32_t>(found.size());
    arena.surrogates.insert(arena.surrogates.end(), found.begin(), found.end());
  }

  // Divides every list by the runs of list k; returns the size of the left part.
  std::uint32_t divide_runs(const Runs& runs, std::uint32_t begin, std::uint32_t n, std::size_t k) {
    const std::uint32_t n_left = divide_own(runs, begin, n, k);
    lists_.divide_others(k, begin, n, n_left, Part::both);
    return n_left;
  }

  // Divides list k alone.
  std::uint32_t divide_own(const Runs& runs, std::uint32_t begin, std::uint32_t n, std::size_t k) {
    std::uint32_t n_left = 0, left_end = 0;
    for (const Run& run : runs)
      if (!run.right) n_left += run.n, left_end = std::max(left_end, run.begin + run.n);
    if (left_end == n_left) return n_left;  // every left run before every right one: it is divided as it stands
    goes_right_.resize(n);
    for (const Run& run : runs) std::fill_n(goes_right_.begin() + run.begin, run.n, run.right);
    lists_.divide_one(k, begin, n, [&](std::uint32_t i) { return goes_right_[i] != 0; });
    return n_left;
  }

  // The rows on either side of a threshold.
  struct Between {
    std::uint32_t left = 0, right = 0;
    bool known_or_missing = false;
    double threshold(const Column& column) const {
      if (known_or_missing) return std::numeric_limits<double>::infinity();
      return threshold_between(column, left, right);
    }
  };
  Between between(const Candidate& cut, const Word* known) const {
    if (cut.known_or_missing) return {0, 0, true};
    return {lists_.table_row(known[cut.cut - 1]), lists_.table_row(known[cut.cut])};
  }

  void threshold_runs(const Candidate& cut, const Word* known, std::uint32_t n, std::uint32_t offset, Runs& runs) {
    runs.push_back({offset, cut.cut, false});
    if (cut.cut < n) runs.push_back({offset + cut.cut, n - cut.cut, true});
    between_ = between(cut, known);
  }

  void level_runs(const Candidate& cut, const Word* known, std::uint32_t n, std::uint32_t offset, const Column& column,
                  GrowingNode& test, Arena& arena, Runs& runs) const {
    test.level_begin = static_cast<std::uint32_t>(arena.levels.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i > 0 && rank_of(known[i]) == rank_of(known[i - 1])) {
        ++runs.back().n;
        continue;
      }
      const bool right = !std::binary_search(cut.left_levels.begin(), cut.left_levels.end(), rank_of(known[i]));
      arena.levels.push_back({column.code(lists_.table_row(known[i])), static_cast<std::uint16_t>(right)});
      runs.push_back({offset + i, 1, right});
    }
    test.n_levels = static_cast<std::uint32_t>(arena.levels.size()) - test.level_begin;
  }

  // The weight of the known rows on the right minus that on the left.
  std::int64_t balance_of(const Word* list, const Runs& runs) const {
    std::int64_t balance = 0;
    for (const Run& run : runs) balance += (run.right ? 1 : -1) * search_->weight_of(list + run.begin, run.n);
    return balance;
  }

  const GrowthInputs in_;
  const Table& table_;
  const Recipe& recipe_;
  std::unique_ptr<BlockSearch<Word>> search_;
  Workers& workers_;
  double root_weight_;
  std::vector<std::uint32_t> rows_;
  Lists<Word> lists_;
  SurrogateFinder<Word> surrogates_;
  std::vector<Candidate> each_;
  std::vector<std::uint8_t> goes_right_, is_here_;
  std::vector<std::uint32_t> number_of_;
  std::vector<Word> few_;  // the rows of nodes in lanes, each where its slice of the lists is
  bool has_lanes_ = false, others_wait_ = false;
  Between between_;  // of the test that is being written
  std::vector<std::pair<std::uint32_t, Between>> thresholds_;
  std::unique_ptr<typename BlockGrower<std::uint32_t>::Growing> small_block_;
};

template <class Word>
BlockGrower<Word>::BlockGrower(const GrowthInputs& in, std::unique_ptr<BlockSearch<Word>> search)
    : growing_(std::make_unique<Growing>(in, std::move(search))) {}
template <class Word>
BlockGrower<Word>::~BlockGrower() = default;

template <class Word>
Arena BlockGrower<Word>::grow(std::vector<std::uint32_t> rows, std::uint32_t depth, HandedOut* handed_out) {
  return growing_->grow(std::move(rows), depth, handed_out);
}

template <class Word>
template <class OtherWord>
Arena BlockGrower<Word>::grow_job(const BlockGrower<OtherWord>& other,
                                  const typename BlockGrower<OtherWord>::Job& job) {
  return growing_->grow_part(other.growing_->lists(), job.begin, job.n, job.depth);
}

template class BlockGrower<std::uint32_t>;
template class BlockGrower<std::uint64_t>;
template Arena BlockGrower<std::uint32_t>::grow_job(const BlockGrower<std::uint32_t>&,
                                                    const BlockGrower<std::uint32_t>::Job&);
template Arena BlockGrower<std::uint32_t>::grow_job(const BlockGrower<std::uint64_t>&,
                                                    const BlockGrower<std::uint64_t>::Job&);

}  // namespace tw
