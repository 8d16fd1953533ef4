// BinnedTable: every column in at most 255 bins and a bin for missing values, once by columns and once by rows.
//
// Numbers are cut into runs of about equal weight: the buckets of the encoded table where it has them. Where the cuts
// fall depends on nothing but the data. Columns with more codes than fit in a byte (nominal ones with many levels, and
// every value a bin of its own) stay out of the matrix and are counted by themselves.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint8_t, uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/huge_memory.hpp"
#include "base/peers.hpp"
#include "base/workers.hpp"
#include "grow/boost/gradient_words.hpp"
#include "grow/boost/joint_columns.hpp"
#include "table/column.hpp"

namespace tw {

constexpr std::uint32_t kBins = 256;  // of a narrow column, missing (0) included

struct BinnedColumn {
  Kind kind = Kind::numeric;
  std::uint32_t n_bins = 0;              // codes 1 … n_bins
  const std::uint8_t* narrow = nullptr;  // null for a wide column
  std::vector<std::uint8_t> own_narrow;  // what `narrow` points to where the table has no such codes
  std::vector<std::uint32_t> wide;
  std::vector<double> cut;  // ordered columns: cut[b] is the threshold above bin b (from 1); +inf above the last one

  // A wide nominal column has a second one beside it, with its levels in the order of their gradients
  // (level_codes.hpp).
  std::int32_t coded_by = -1, stands_for = -1;
  std::vector<std::uint8_t> bin_of_level;  // of the second one: what new rows are asked by; 0: never seen

  std::int32_t turn = 0;  // of equal splits that of the column whose turn is first wins: by number, a second one first

  bool is_narrow() const { return narrow != nullptr; }
  std::uint32_t code(std::size_t row) const { return narrow ? narrow[row] : wide[row]; }
};

// Narrow columns stand by fours in a matrix of bins and in histograms, those of about as many bins together. A
// histogram has the same bin of the four columns side by side, so that a vector takes them at once, and no more bins
// than there are.
constexpr std::uint32_t kTogether = 4;

struct ColumnGroup {
  std::uint32_t at = 0;      // where its words begin in a histogram: bin 0 of the first column, of the second …
  std::uint32_t n_bins = 0;  // of the column with the most, missing (0) included
  std::int32_t column[kTogether] = {-1, -1, -1, -1};
  std::int32_t first_turn = 0;  // of its columns
  std::uint8_t ordered = 0;     // a bit for each column that is not nominal
};

struct BinnedTable {
  std::size_t n_rows = 0;
  Peers* peers = &Peers::none();  // who have other rows of the table; its bins are the same for all
  std::vector<BinnedColumn> columns;
  std::size_t columns_given = 0;  // the first ones are those of the table
  std::vector<std::int32_t> narrow_columns, wide_columns;
  std::vector<std::int32_t> place_in_matrix;  // of each column; −1: it is wide
  HugeVector<std::uint8_t> matrix;            // n_rows × narrow_columns.size(), by rows
  std::vector<ColumnGroup> groups;            // of the narrow columns
  std::size_t histogram_size = 0;             // in words
  JointColumns joint;                         // those of few values once more

  // Where the bins of a narrow column begin in a histogram; they are kTogether words apart.
  std::size_t line_of(std::int32_t column) const {
    const auto place = static_cast<std::uint32_t>(place_in_matrix[column]);
    return groups[place / kTogether].at + place % kTogether;
  }
};

// rows: those that are learnt from; thresholds lie between their values, and held-out rows get their bins by these, as
// new rows will. max_bins 0: every value is a bin.
BinnedTable bin_columns(const Table& table, std::span<const std::uint32_t> rows,
                        std::span<const std::uint32_t> held_out, std::uint32_t max_bins, Workers& workers,
                        Peers& peers = Peers::none());
// Fills the matrix and makes the groups; after the last column was added.
void lay_out_rows(BinnedTable& table, Workers& workers);

// Levels of wide nominal columns in the order of their gradients in the first round, as at most 255 bins.
//
// Of many levels with few rows each some look good by chance, and a tree that orders them by the very rows it learns
// from takes that chance for a rule. So the rows are dealt into parts, and the order in which the rows of one part see
// the levels comes from the rows of all other parts. What is asked of new rows is the order from all rows.
// (CatBoost's ordered statistics serve the same end; there each row is seen by those before it in a shuffle.)

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
  void code(std::uint32_t output, std::span<const WideWord> words, const Units& units, Workers& workers);

 private:
  struct Codes {
    std::vector<std::uint8_t> of_row, of_level;
  };

  Codes find_codes(const BinnedColumn& levels, std::span<const WideWord> words, const Units& units) const;
  void take_codes(std::size_t column, const Codes& codes);

  BinnedTable& table_;
  std::span<const std::uint32_t> rows_;
  std::vector<std::uint8_t> part_;
  std::vector<std::vector<Codes>> codes_;  // by output and column
  std::uint32_t shown_ = 0xffffffff;       // the output whose codes stand in the table
};

}  // namespace tw
