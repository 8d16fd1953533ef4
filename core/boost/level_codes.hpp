// Levels of wide nominal columns in the order of their gradients in the first round, as at most 255 bins.
//
// Of many levels with few rows each some look good by chance, and a tree that orders them by the very rows it learns
// from takes that chance for a rule. So the rows are dealt into parts, and the order in which the rows of one part see
// the levels comes from the rows of all other parts. What is asked of new rows is the order from all rows.
// (CatBoost's ordered statistics serve the same end; there each row is seen by those before it in a shuffle.)
#pragma once

#include <cstdint>  // for uint8_t, uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "boost/binned_table.hpp"
#include "boost/gradient_words.hpp"

namespace tw {

class LevelCodes {
 public:
  static constexpr std::uint32_t kParts = 3;

  // Adds to the table one ordered column for each wide nominal one. part: by rows of the table, kParts where a row is
  // not learnt from.
  LevelCodes(BinnedTable& table, std::vector<std::uint8_t> part);

  // Gives all rows the bins of an output: in the first round found by these gradients, later the same again.
  void code(std::uint32_t output, const Gradients& gradients, const RowWeights& weights, Workers& workers);

 private:
  struct Codes {
    std::vector<std::uint8_t> of_row, of_level;
  };

  Codes find_codes(const BinnedColumn& levels, const Gradients& gradients, const RowWeights& weights) const;
  void take_codes(std::size_t column, const Codes& codes);

  BinnedTable& table_;
  std::vector<std::uint8_t> part_;
  std::vector<std::vector<Codes>> codes_;  // by output and column
  std::uint32_t shown_ = 0xffffffff;       // the output whose codes stand in the table
};

}  // namespace tw
