// LargeNodes: the top of a tree, grown from tables of counts. One node after the other; inside a node the columns (and
// chunks of rows) are shared out among the threads. Nodes that have become small enough move into blocks, which are
// then grown whole, one thread each (block_grower.hpp).
#include "grow/exact/large_nodes.hpp"

#include <algorithm>  // for binary_search, min
#include <array>      // for array
#include <limits>     // for numeric_limits
#include <span>       // for span
#include <utility>    // for move

#include "base/radix_sort.hpp"
#include "base/workers.hpp"
#include "grow/exact/divide_rows.hpp"
#include "grow/exact/lists.hpp"
#include "grow/exact/missing_branch.hpp"
#include "grow/exact/node_payload.hpp"
#include "grow/exact/row_summaries.hpp"
#include "grow/may_split.hpp"
#include "grow/threshold_value.hpp"

namespace tw {
namespace {

constexpr std::int64_t kFewLevels = 4;
constexpr std::uint32_t kSmallBlock = 1024;

class LargeNodes final : public LargeNodeGrower {
 public:
  LargeNodes(const GrowthInputs& in, std::unique_ptr<TableSearch> search, std::vector<std::uint32_t>& rows,
             std::uint32_t block_rows)
      : table_(in.table), target_(in.target), recipe_(in.recipe), workers_(in.workers), rows_(rows),
        block_rows_(block_rows), root_weight_(in.root_weight), search_(std::move(search)),
        summaries_(in.target, in.recipe, in.workers), payload_(make_node_payload(in.target)),
        bests_(in.table.columns.size(), Best(0)), scratch_(in.workers.size()) {}

  void hand_out_below(std::uint32_t rows) override { hand_out_rows_ = rows; }

  Arena grow(std::uint32_t depth, std::vector<BlockJob>& jobs) override {
    Arena arena;
    arena.nodes.emplace_back();
    arena.nodes[0].depth = depth;
    summaries_.describe(arena.nodes[0], rows_);
    std::vector<Item> open;
    place({0, 0, static_cast<std::uint32_t>(rows_.size()), nullptr}, arena, open, jobs);
    while (!open.empty()) {
      Item item = std::move(open.back());
      open.pop_back();
      workers_.checkpoint();
      split(std::move(item), arena, open, jobs);
    }
    return arena;
  }

 private:
  using Tables = std::vector<CountTable>;
  struct Item {
    std::uint32_t node, begin, n;
    std::unique_ptr<Tables> tables;
  };
  struct Scratch {
    std::vector<LevelSum> levels;
    RadixScratch sort;
    std::vector<PairSum> sums;  // of the rows sorted
  };

  std::span<const std::uint32_t> rows_of(const Item& item) const { return {rows_.data() + item.begin, item.n}; }

  // Sorting a block pays when it is divided many times; with few levels to go, tables of counts are cheaper.
  bool is_large(const GrowingNode& s) const {
    if (s.rows <= hand_out_rows_) return false;
    const bool few_levels = recipe_.stop.max_depth - s.depth <= kFewLevels && table_.n_rows > kOneBlockRows;
    return s.rows > (few_levels ? std::min(block_rows_, kSmallBlock) : block_rows_);
  }

  // A node that may be split either waits here or moves into a block.
  void place(Item item, Arena& arena, std::vector<Item>& open, std::vector<BlockJob>& jobs) const {
    GrowingNode& s = arena.nodes[item.node];
    if (!may_split(s, recipe_.stop)) return;
    if (is_large(s)) return open.push_back(std::move(item));
    jobs.push_back({item.begin, item.n, s.depth});
    s.subtree = static_cast<std::int32_t>(jobs.size());
  }

  void split(Item item, Arena& arena, std::vector<Item>& open, std::vector<BlockJob>& jobs) {
    Candidate cut = find(item, arena.nodes[item.node]);
    if (!cut.found()) return;
    GrowingNode test = arena.nodes[item.node];
    const auto first_child = static_cast<std::uint32_t>(arena.nodes.size());
    const auto levels_before = arena.levels.size();
    const std::vector<BranchSum> sums = divide(cut, item, test, arena);
    test.first_child = first_child;
    test.n_children = sums[2].rows > 0 ? 3 : 2;
    double inside = 0;
    for (std::uint32_t b = 0, begin = item.begin; b < test.n_children; begin += sums[b++].rows) {
      GrowingNode s;
      s.depth = test.depth + 1;
      summaries_.finish(s, sums[b], {rows_.data() + begin, sums[b].rows});
      inside += double(s.a) * s.impurity;
      arena.nodes.push_back(s);
    }
    const double decrease = (double(test.a) * test.impurity - inside) / root_weight_;
    if (recipe_.stop.min_impurity_decrease > 0 && decrease < recipe_.stop.min_impurity_decrease - 1e-12) {
      arena.nodes.resize(first_child);
      arena.levels.resize(levels_before);
      return;
    }
    if (test.missing_branch < 0) test.missing_branch = branch_of_later_missing(sums[0].a, sums[1].a);
    arena.nodes[item.node] = test;
    open_children(std::move(item), test, sums, arena, open, jobs);
  }

  // Children get their tables now: all but the largest are counted, the largest is what is left of the parent's.
  void open_children(Item item, const GrowingNode& test, const std::vector<BranchSum>& sums, Arena& arena,
                     std::vector<Item>& open, std::vector<BlockJob>& jobs) {
    std::uint32_t largest = 0;
    for (std::uint32_t b = 1; b < test.n_children; ++b)
      if (sums[b].rows > sums[largest].rows) largest = b;
    std::vector<Item> children;
    for (std::uint32_t b = 0, begin = item.begin; b < test.n_children; begin += sums[b++].rows)
      children.push_back({test.first_child + b, begin, sums[b].rows, nullptr});
    const GrowingNode& big = arena.nodes[test.first_child + largest];
    if (is_large(big) && may_split(big, recipe_.stop)) {
      for (std::uint32_t b = 0; b < test.n_children; ++b) {
        if (b == largest) continue;
        count_all(children[b], item.tables.get());
        workers_.run(table_.columns.size(), [&](std::size_t c, int) {
          CountTable& rest = (*item.tables)[c];
          const CountTable& part = (*children[b].tables)[c];
          for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= part[k];
        });
        if (!is_large(arena.nodes[test.first_child + b])) children[b].tables.reset();
      }
      children[largest].tables = std::move(item.tables);
    }
    for (std::uint32_t b = test.n_children; b-- > 0;) place(std::move(children[b]), arena, open, jobs);
  }

  // ------------------------------------------------------------------------------------------------ counting
  bool is_counted(std::size_t c, std::uint32_t n) const {
    const Column& column = table_.columns[c];
    return column.ordered() || column.n_codes <= 4ull * n;
  }

  void take_payload(const Item& item) {
    payload_->resize(item.n);
    for_each_chunk(workers_, item.n, [&](std::size_t, std::size_t begin, std::size_t end) {
      payload_->take(target_, rows_of(item), begin, end);
    });
  }

  void count_column(std::size_t c, const Item& item, CountTable& table) const {
    const Column& column = table_.columns[c];
    table.resize((column.ordered() ? column.small_codes() : column.n_codes) + 1ull);
    payload_->count(column, rows_of(item), table);
  }

  // parent: the tables that these will be taken from; a column it does not have is left out here too.
  void count_all(Item& item, const Tables* parent) {
    take_payload(item);
    item.tables = std::make_unique<Tables>(table_.columns.size());
    workers_.run(table_.columns.size(), [&](std::size_t c, int) {
      if (parent ? !(*parent)[c].empty() : is_counted(c, item.n)) count_column(c, item, (*item.tables)[c]);
    });
  }

  // ------------------------------------------------------------------------------------------------ searching
  Candidate find(Item& item, const GrowingNode& s) {
    if (!item.tables)
      count_all(item, nullptr);
    else
      take_payload(item);
    Best best = search_->start(s);
    bests_.assign(table_.columns.size(), best);
    workers_.run(table_.columns.size(), [&](std::size_t c, int worker) { find_first(item, c, worker); });
    for (Best& column_best : bests_) best.merge(std::move(column_best));
    const std::int64_t quantum = best.get().quantum;
    for (Best& column_best : bests_) column_best.raise(quantum);
    workers_.run(table_.columns.size(), [&](std::size_t c, int worker) { open_buckets(item, c, worker); });
    for (Best& column_best : bests_) best.merge(std::move(column_best));
    return std::move(best.get());
  }

  void find_first(const Item& item, std::size_t c, int worker) {
    const CountTable& table = (*item.tables)[c];
    const auto column = static_cast<std::int32_t>(c);
    if (table_.columns[c].ordered()) return search_->find_edge(table, column, bests_[c]);
    auto& levels = scratch_[worker].levels;
    levels.clear();
    PairSum missing;
    if (!table.empty()) {
      missing = table[0];
      for (std::uint32_t code = 1; code < table.size(); ++code)
        if (table[code].rows) levels.push_back({code, table[code], 0});
    } else {
      count_by_sorting(item, c, scratch_[worker], missing);
    }
    if (levels.size() + (missing.rows > 0) > 1)
      search_->find_levels(levels, missing, table_.columns[c].n_codes, column, bests_[c]);
  }

  // For columns with far more levels than the node has rows.
  void count_by_sorting(const Item& item, std::size_t c, Scratch& scratch, PairSum& missing) const {
    const auto sorted = sort_rows(item, c, scratch, [](std::uint32_t) { return true; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto code = static_cast<std::uint32_t>(sorted[i] >> 32);
      const PairSum& one = scratch.sums[i];
      if (code == 0) {
        missing += one;
        continue;
      }
      if (scratch.levels.empty() || scratch.levels.back().code != code) scratch.levels.push_back({code, {}, 0});
      scratch.levels.back().sum += one;
    }
  }

  // (key, place) of the rows that are wanted, in ascending order; scratch.sums is what they carry.
  template <class Wanted>
  std::span<const std::uint64_t> sort_rows(const Item& item, std::size_t c, Scratch& scratch, Wanted wanted) const {
    const Column& column = table_.columns[c];
    auto& words = scratch.sort.words;
    words.resize(item.n + 1ull);
    const auto rows = rows_of(item);
    std::size_t n_words = 0;
    for (std::uint32_t i = 0; i < item.n; ++i) {  // places first, without a branch; then the keys of those that stay
      words[n_words] = i;
      n_words += wanted(rows[i]);
    }
    words.resize(n_words);
    column.visit_keys([&](auto key_of) {
      for (auto& word : words) word |= static_cast<std::uint64_t>(key_of(rows[word])) << 32;
    });
    scratch.sort.other.resize(words.size());
    std::uint64_t* sorted = radix_sort(words.data(), scratch.sort.other.data(), words.size(), 32);
    if (!column.exact_keys)
      sort_within_keys(
          sorted, words.size(), [&](std::uint64_t w) { return column.value(rows[static_cast<std::uint32_t>(w)]); },
          [](std::uint64_t w) { return (w >> 32) == 0; });
    const std::span<const std::uint64_t> in_order(sorted, words.size());
    payload_->gather(in_order, scratch.sums);
    return in_order;
  }

  void open_buckets(const Item& item, std::size_t c, int worker) {
    const Column& column = table_.columns[c];
    if (!column.ordered() || column.is_coded) return;
    const CountTable& table = (*item.tables)[c];
    std::array<bool, 256> open;
    if (!search_->mark_open_buckets(table, bests_[c].reach(), open)) return;
    Scratch& scratch = scratch_[worker];
    const std::uint8_t* buckets = column.small_code();
    const auto sorted = sort_rows(item, c, scratch, [&](std::uint32_t row) { return open[buckets[row]]; });
    const OpenRows open_rows{sorted, scratch.sums.data(), rows_of(item).data(), column};
    search_->find_inside(open_rows, table, static_cast<std::int32_t>(c), bests_[c]);
  }

  // ------------------------------------------------------------------------------------------------ dividing
  std::vector<BranchSum> divide(const Candidate& cut, const Item& item, GrowingNode& test, Arena& arena) {
    const Column& column = table_.columns[cut.column];
    const CountTable& counts = (*item.tables)[cut.column];
    const bool has_missing = any_missing(item, column, counts);
    test.kind = cut.kind, test.column = cut.column;
    const std::uint8_t missing_to =
        has_missing ? missing_branch(recipe_.missing, cut, [&] { return balance_of(cut, item, column); }) : 0;
    if (has_missing) test.missing_branch = missing_to;
    std::span<std::uint32_t> rows(rows_.data() + item.begin, item.n);
    auto add = [&](std::uint32_t row, BranchSum& sum) { summaries_.add(row, sum); };
    if (cut.kind == CutKind::levels) {
      const std::vector<std::uint8_t> branch_of = level_branches(cut, item, column, test, arena);
      return divide_rows(
          rows, spare_, workers_,
          [&](std::uint32_t row) {
            const std::uint32_t code = column.code(row);
            return code == 0 ? missing_to : branch_of[code];
          },
          add);
    }
    test.threshold = threshold_of(cut, item, column);
    const std::uint8_t* small = column.small_code();
    return divide_rows(
        rows, spare_, workers_,
        [&](std::uint32_t row) -> std::uint8_t { return small[row] == 0 ? missing_to : !is_left(cut, column, row); },
        add);
  }

  // Of a known row.
  static bool is_left(const Candidate& cut, const Column& column, std::uint32_t row) {
    if (cut.known_or_missing) return true;
    const std::uint32_t bucket = column.small_code()[row];
    if (cut.inside && bucket == cut.bucket) return column.value(row) <= cut.left_value;
    return bucket <= cut.bucket;
  }

  bool any_missing(const Item& item, const Column& column, const CountTable& counts) const {
    if (!column.has_missing) return false;
    if (!counts.empty()) return counts[0].rows > 0;
    for (auto row : rows_of(item))
      if (column.is_missing(row)) return true;
    return false;
  }

  // The weight of the known rows on the right minus that on the left.
  std::int64_t balance_of(const Candidate& cut, const Item& item, const Column& column) const {
    std::int64_t balance = 0;
    for (auto row : rows_of(item)) {
      if (column.is_missing(row)) continue;
      const bool left = cut.kind == CutKind::threshold
                            ? is_left(cut, column, row)
                            : std::binary_search(cut.left_levels.begin(), cut.left_levels.end(), column.code(row));
      balance += left ? -target_.weight_of(row) : target_.weight_of(row);
    }
    return balance;
  }

  std::vector<std::uint8_t> level_branches(const Candidate& cut, const Item& item, const Column& column,
                                           GrowingNode& test, Arena& arena) const {
    std::vector<std::uint8_t> branch_of(column.n_codes + 1ull, 1), present(column.n_codes + 1ull, 0);
    for (auto code : cut.left_levels) branch_of[code] = 0;
    const CountTable& counts = (*item.tables)[cut.column];
    for (std::size_t code = 1; code < counts.size(); ++code) present[code] = counts[code].rows > 0;
    if (counts.empty())
      for (auto row : rows_of(item)) present[column.code(row)] = 1;
    test.level_begin = static_cast<std::uint32_t>(arena.levels.size());
    for (std::uint32_t code = 1; code <= column.n_codes; ++code)
      if (present[code]) arena.levels.push_back({code, branch_of[code]});
    test.n_levels = static_cast<std::uint32_t>(arena.levels.size()) - test.level_begin;
    return branch_of;
  }

  // The rows next to a cut.
  struct Neighbours {
    double left = 0, right = 0;
    std::uint32_t left_row = 0, right_row = 0;
    bool any_left = false, any_right = false;

    void see(std::uint32_t row, double x, bool is_left) {
      if (is_left) {
        if (!any_left || x > left) left = x, left_row = row, any_left = true;
      } else if (!any_right || x < right) {
        right = x, right_row = row, any_right = true;
      }
    }
    void merge(const Neighbours& other) {
      if (other.any_left) see(other.left_row, other.left, true);
      if (other.any_right) see(other.right_row, other.right, false);
    }
  };

  // Between the last row on the left and the first on the right. Only rows next to the cut are looked at.
  double threshold_of(const Candidate& cut, const Item& item, const Column& column) const {
    if (cut.known_or_missing) return std::numeric_limits<double>::infinity();
    const std::uint8_t* small = column.small_code();
    const CountTable& counts = (*item.tables)[cut.column];
    std::uint32_t next = cut.bucket + 1;
    while (next < counts.size() && counts[next].rows == 0) ++next;
    if (cut.inside) next = cut.bucket;
    std::vector<Neighbours> parts(n_chunks(item.n));
    const auto rows = rows_of(item);
    for_each_chunk(workers_, item.n, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (small[rows[i]] == cut.bucket || small[rows[i]] == next)
          parts[chunk].see(rows[i], column.value(rows[i]), is_left(cut, column, rows[i]));
    });
    Neighbours all;
    for (const Neighbours& part : parts) all.merge(part);
    return threshold_between(column, all.left_row, all.right_row);
  }

  const Table& table_;
  const Target& target_;
  const Recipe& recipe_;
  Workers& workers_;
  std::vector<std::uint32_t>& rows_;
  std::vector<std::uint32_t> spare_;
  std::uint32_t block_rows_, hand_out_rows_ = 0;
  double root_weight_;
  std::unique_ptr<TableSearch> search_;
  RowSummaries summaries_;
  std::unique_ptr<NodePayload> payload_;
  std::vector<Best> bests_;
  std::vector<Scratch> scratch_;
};

}  // namespace

std::unique_ptr<LargeNodeGrower> make_large_nodes(const GrowthInputs& in, std::unique_ptr<TableSearch> search,
                                                  std::vector<std::uint32_t>& rows, std::uint32_t block_rows) {
  return std::make_unique<LargeNodes>(in, std::move(search), rows, block_rows);
}

}  // namespace tw
