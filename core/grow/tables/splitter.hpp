// What splitters hand over: Found, the best split of one column, and Split, the one that a node gets.
#pragma once

#include <cstdint>   // for uint32_t
#include <limits>    // for numeric_limits
#include <memory>    // for unique_ptr
#include <optional>  // for optional
#include <span>      // for span
#include <string>    // for string
#include <vector>    // for vector

#include "base/workers.hpp"
#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "grow/tables/column_counts.hpp"
#include "grow/tables/sorted_lists.hpp"
#include "tree/tree.hpp"

namespace tw {

constexpr std::uint16_t kStays = 0xffff;    // in a route: the row ends at this node
constexpr std::uint16_t kSpreads = 0xfffe;  // in a route: the row goes down every branch that has known weight

// One column's best split. Which of the numbers an algorithm fills in, and what `score` means, is its own affair.
struct Found {
  bool usable = false;    // may be chosen
  bool constant = false;  // fewer than two known values here, and so below: the column is not asked again
  double gain = 0, score = 0, statistic = 0, degrees = 0, log_p = 0, log_p_adjusted = 0;
  std::uint32_t n_branches = 2;
  std::uint32_t cut = 0;            // ordered columns: codes up to this one take branch 0 …
  std::uint32_t next = 0;           // … and this is the next code that occurs
  std::vector<LevelBranch> levels;  // nominal columns: ascending codes and their branches
  std::int32_t missing = kMissingStops;
};

// What a node may answer, where columns may only raise or lower the answer: a mean, or a share of the second class.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

// The test of a node, with what the stored tree needs of it.
struct Split {
  TestKind kind = TestKind::threshold;
  std::int32_t column = -1;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::uint32_t cut = 0;
  std::vector<LevelBranch> levels;  // the branch of every code that occurs, for tests by level and by intervals
  std::vector<double> uppers;       // intervals: the upper bound of every branch but the last one of known values
  std::uint32_t n_branches = 2;
  std::int32_t missing = kMissingStops;  // a branch, kMissingStops or kMissingSpreads
  std::vector<Term> terms;               // hyperplane
  std::vector<Surrogate> surrogates;
  std::vector<std::uint16_t> route;  // optional: the branch of every row of the node, where codes alone do not tell
  bool forget_column = false;        // it is not asked again below
};

// Splitter: what makes an algorithm. The loop (grow_from_tables.cpp) hands it nodes and tables of counts; it answers
// with splits. Called once per node and column, never per row; a splitter is shared by threads and must not change
// after prepare().

// What a splitter sees of a node.
struct NodeView {
  const RankedTable& table;
  const Weighing& weighing;
  const Recipe& recipe;
  NodeRows rows;
  const Sums& sums;
  std::uint32_t depth;
  std::span<const std::int32_t> columns;  // those still worth asking, ascending
  const Sums& root;
  Workers& workers;  // checkpoint() in long work, so that Ctrl-C is heard
  ListSlice lists;   // where the splitter wants them
  Bounds bounds = {};

  double weight(std::int64_t units) const { return double(units) * weighing.unit; }
  const RankedColumn& column(std::int32_t c) const { return table.columns[c]; }
};

// What a splitter decided about a node: a split or none, and the numbers to keep with it (in the order of extras()).
struct Decision {
  std::optional<Split> split;
  std::vector<double> extras;
};

class Splitter {
 public:
  virtual ~Splitter() = default;

  // Before anything is counted: a splitter may put coarser codes in the place of those of the table (bins).
  virtual void recode(RankedTable& /*table*/, std::span<const std::uint32_t> /*rows*/, const Target& /*target*/) {}
  // Before growth, with the root: whole-table numbers.
  virtual void prepare(const NodeView& /*root*/) {}
  // Ordered columns with more codes than this are kept in order. Only for splitters whose splits have two branches and
  // leave no row behind.
  virtual std::optional<std::uint32_t> lists_above() const { return std::nullopt; }
  // Finder for a column that is kept in order; false: it is to be counted and looked at like any other.
  virtual bool look_at_list(const NodeView& /*node*/, std::int32_t /*column*/, Found& /*found*/) const { return false; }
  // Finder: the best split of one column.
  virtual void look(const NodeView& node, std::int32_t column, const ColumnCounts& counts, Found& found) const = 0;
  // Chooser: found[i] belongs to node.columns[i]. `counter` counts further tables, if it needs any.
  virtual Decision choose(const NodeView& node, std::span<Found> found, Counter& counter) const = 0;
  // Whether a node is a leaf before any column is looked at. The stop rules of the recipe are applied already.
  virtual bool is_leaf(const NodeView& node) const { return node.sums.is_pure(); }
  // Whether rows may be spread over branches (their weights are then counted in finer units).
  virtual bool may_spread() const { return false; }
  // What a branch may answer, from the bounds of its node and the sums of all branches.
  virtual Bounds bounds_of(const NodeView& node, const Split& /*split*/, std::span<const Sums> /*branches*/,
                           std::size_t /*branch*/) const {
    return node.bounds;
  }
  // Names of the numbers that are stored with each node.
  virtual std::vector<std::string> extras() const { return {}; }
};

// A test `x <= t` from what was found in an ordered column; t lies in the middle.
Split threshold_split(const NodeView& node, std::int32_t column, const Found& found);
// A test by level.
Split level_split(std::int32_t column, const Found& found);

}  // namespace tw
