// Gradient boosting: round after round, a tree (one for each class where there are more than two) is grown on the
// gradients of the loss at the scores reached so far, and its shrunken leaves are added to the scores.
#pragma once

#include <functional>  // for function
#include <span>        // for span
#include <vector>      // for vector

#include "base/progress.hpp"
#include "base/workers.hpp"
#include "ensemble/small_tree.hpp"
#include "grow/boost/loss.hpp"
#include "grow/boost/rules.hpp"
#include "table/column.hpp"

namespace tw {

struct BoostTask {
  const Table* table = nullptr;
  Labels labels;                            // weight 0 where a row does not count
  std::span<const std::uint32_t> rows;      // learnt from: weight above 0, ascending
  std::span<const std::uint32_t> held_out;  // judge the rounds, for early stopping; may be empty
  std::span<const double> held_out_weight;  // by rows of the table; empty: all 1
  std::unique_ptr<Loss> own_loss;           // instead of the one that the rules name
};

struct Boosted {
  std::vector<SmallTree> trees;  // those of one round after each other
  std::vector<double> start;     // of each output
  std::vector<double> losses;    // mean over the rows that judge, before the first round and after each
};

Boosted boost(BoostTask task, const BoostRules& rules, Workers& workers, Progress& progress);

}  // namespace tw
