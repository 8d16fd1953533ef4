// BoostedTreeGrower: one boosted tree from the words of its rows. The node with the most to gain is divided first (or
// all of one depth before the next); of two branches only the smaller one is counted, the other is the difference.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"
#include "grow/boost/binned_table.hpp"
#include "grow/boost/boosted_node.hpp"
#include "grow/boost/column_choice.hpp"
#include "grow/boost/divide_rows.hpp"
#include "grow/boost/histogram.hpp"
#include "grow/boost/rules.hpp"
#include "grow/boost/split_search.hpp"

namespace tw {

template <class Word>
class BoostedTreeGrower {
 public:
  BoostedTreeGrower(const BinnedTable& table, const BoostRules& rules, ColumnChoice& choice, Workers& workers)
      : table_(table), rules_(rules), choice_(choice), workers_(workers), builder_(table, workers), divider_(workers),
        search_{{table, fixed_}, {table, fixed_}} {}

  // The words of all rows that a tree is grown from, by rows of the table; filled by the caller before grow.
  HugeVector<Word>& words() { return words_; }

  // rows: what the tree is grown from. whole: the sum of their words. largest_step: bound of the leaves' values before
  // they are shrunk.
  void grow(const FixedRules& fixed, std::span<const std::uint32_t> rows, const GradientSum& whole, std::uint64_t key,
            double largest_step);

  std::vector<BoostedNode>& nodes() { return nodes_; }
  std::span<const std::uint32_t> rows_of(const BoostedNode& node) const {
    return std::span(rows_[node.buffer]).subspan(node.begin, node.size());
  }

 private:
  using Histogram = typename HistogramBuilder<Word>::Histogram;

  // Two nodes that are searched together. The first has its histogram; the second, if there is one, has that of their
  // parent, from which the first is yet to be taken.
  struct Branches {
    std::int32_t node[2];
    bool looked[2];
  };

  void make_root(std::span<const std::uint32_t> rows, const GradientSum& whole, double largest_step);
  bool may_divide(const BoostedNode& node) const;
  void look(const Branches& at);
  void start_search(std::int32_t node, int of_pair);
  void scan(const Branches& at);
  void finish_search(std::int32_t node, int of_pair, bool scanned);
  void give_back(std::int32_t node);
  void divide(std::int32_t node);
  void make_child(std::int32_t parent, int branch, std::uint32_t begin, std::uint32_t end);
  void bound_children(std::int32_t node);
  void count_children(std::int32_t node);
  Histogram build(std::int32_t node);
  void fill_sides(BoostedNode& node) const;
  // The column of the table that the node asks.
  std::int32_t given_column(const BoostedNode& node) const {
    const std::int32_t other = table_.columns[node.split.column].stands_for;
    return other < 0 ? node.split.column : other;
  }
  bool comes_later(std::int32_t a, std::int32_t b) const;
  bool is_before(std::int32_t a, std::int32_t b) const;

  const BinnedTable& table_;
  const BoostRules& rules_;
  ColumnChoice& choice_;
  Workers& workers_;
  HistogramBuilder<Word> builder_;
  RowDivider divider_;
  FixedRules fixed_;
  SplitSearch<Word> search_[2];           // of two branches that are searched together
  std::vector<std::int32_t> columns_[2];  // that they may ask
  std::vector<std::uint8_t> lanes_[2];    // the same, by groups
  HugeVector<Word> words_;
  HugeVector<std::uint32_t> rows_[2];  // of the nodes, now in this buffer, now in that

  std::vector<BoostedNode> nodes_;
  std::vector<Histogram> histograms_;   // by node; empty where there is none (any more)
  std::vector<std::int32_t> frontier_;  // a heap of nodes that have a split
  std::int64_t n_leaves_ = 1;
};

// The nodes of a finished tree → the small tree that is kept.

SmallTree write_small_tree(const std::vector<BoostedNode>& nodes, const BinnedTable& table, const FixedRules& rules);

}  // namespace tw
