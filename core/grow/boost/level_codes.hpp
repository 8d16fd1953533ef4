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
#include "grow/boost/binned_table.hpp"
#include "grow/boost/gradient_words.hpp"

namespace tw {

class LevelCodes {
 public:
  static constexpr std::uint32_t kParts = 2;

  // Adds to the table one ordered column for each wide nominal one. rows: those that are learnt from. part: by rows of
  // the table, kParts where a row is not learnt from.
  LevelCodes(BinnedTable& table, std::span<const std::uint32_t> rows, std::vector<std::uint8_t> part);

  bool is_needed(std::uint32_t output) const {
    return table_.columns.size() > table_.columns_given && shown_ != output;
  }

  // Gives all rows the bins of an output: in the first round found by these gradients, later the same again.
  void code(std::uint32_t output, std::span<const DoubleWord> words, const Units& units, Workers& workers);

 private:
  struct Codes {
    std::vector<std::uint8_t> of_row, of_level;
  };

  Codes find_codes(const BinnedColumn& levels, std::span<const DoubleWord> words, const Units& units) const;
  void take_codes(std::size_t column, const Codes& codes);

  BinnedTable& table_;
  std::span<const std::uint32_t> rows_;
  std::vector<std::uint8_t> part_;
  std::vector<std::vector<Codes>> codes_;  // by output and column
  std::uint32_t shown_ = 0xffffffff;       // the output whose codes stand in the table
};

}  // namespace tw
