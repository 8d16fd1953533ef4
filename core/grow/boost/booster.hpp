// Gradient boosting: round after round, a tree (one for each class where there are more than two) is grown on the
// gradients of the loss at the scores reached so far, and its shrunken leaves are added to the scores.
#pragma once

#include <cstdint>     // for uint32_t
#include <functional>  // for function
#include <span>        // for span
#include <vector>      // for vector

#include "base/progress.hpp"
#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"
#include "grow/boost/binned_table.hpp"
#include "grow/boost/gradient_words.hpp"
#include "grow/boost/losses.hpp"
#include "grow/boost/rules.hpp"
#include "grow/boost/tree_grower.hpp"
#include "table/column.hpp"

namespace tw {

struct BoostTask {
  const Table* table = nullptr;
  Labels labels;                            // weight 0 where a row does not count
  std::span<const std::uint32_t> rows;      // learnt from: weight above 0, ascending
  std::span<const std::uint32_t> held_out;  // judge the rounds, for early stopping; may be empty
  std::span<const double> held_out_weight;  // by rows of the table; empty: all 1
  std::unique_ptr<Loss> own_loss;           // instead of the one that the rules name
  // The peers of `labels` have other rows. They take part where nothing is drawn from rows, no row is held out, columns
  // have buckets, no loss refines, and no nominal column is wide.
};

struct Boosted {
  std::vector<SmallTree> trees;  // those of one round after each other
  std::vector<double> start;     // of each output
  std::vector<double> losses;    // mean over the rows that judge, before the first round and after each
};

Boosted boost(BoostTask task, const BoostRules& rules, Workers& workers, Progress& progress);

// Booster: the state of one call of boost() from round to round.

class Booster {
 public:
  Booster(BoostTask task, const BoostRules& rules, Workers& workers);

  Boosted run(Progress& progress);

 private:
  bool grow_round(std::int64_t round);  // false: the gradients are no numbers any more, and nothing was kept
  std::vector<std::uint32_t> draw_rows(std::int64_t round);
  std::vector<std::uint32_t> order_rows() const;
  std::vector<std::uint8_t> deal_rows() const;
  void find_gradients(std::uint32_t output);
  template <class Word>
  SmallTree grow_tree(BoostedTreeGrower<Word>& grower, const Units& units, std::uint32_t output, std::int64_t round);
  template <class Word>
  void answer_leaves(BoostedTreeGrower<Word>& grower, const FixedRules& fixed, std::uint32_t output);
  void add_to_others(const std::vector<BoostedNode>& nodes, std::uint32_t output);
  bool charges_levels() const;
  double judge() const;
  bool has_stalled() const;

  BoostTask task_;
  const BoostRules& rules_;
  Workers& workers_;
  std::unique_ptr<Loss> loss_;
  BinnedTable table_;
  std::vector<std::uint32_t> by_content_;  // the rows that are learnt from; empty where nothing is drawn from them
  LevelCodes level_codes_;
  RowWeights weights_;
  ColumnChoice choice_;
  BoostedTreeGrower<PackedWord> packed_;
  BoostedTreeGrower<WideWord> wide_;
  std::vector<Scores> raw_;  // scores by output and row
  Gradients gradients_;
  std::vector<double> first_gradients_;             // sum of the absolute gradients in the first round, by output
  std::vector<std::uint32_t> drawn_rows_, others_;  // rows drawn for the tree at hand; rows that only take its answers
  std::span<const std::uint32_t> sample_;           // the rows of the tree: all, or those drawn
  std::vector<double> drawn_weight_;                // of the rows of the tree, where whole weights are drawn from
  Boosted result_;
};

}  // namespace tw
