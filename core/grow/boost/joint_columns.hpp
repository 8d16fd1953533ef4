// JointColumns: narrow columns of few values, several of them as one column of all their combinations.
//
// A row is then counted once for all columns of a set, and what a combination holds is added to the bin of each column
// at the end. That pays at nodes with more rows than combinations.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint16_t, uint32_t
#include <vector>   // for vector

#include "base/huge_memory.hpp"
#include "base/workers.hpp"

namespace tw {

struct BinnedTable;

class JointColumns {
 public:
  // Sets of at least two columns, among those at the end of the table's narrow columns, which have the fewest bins.
  void find_sets(const BinnedTable& table, Workers& workers);

  bool pay_for(std::size_t n_rows) const { return n_sets() > 0 && n_rows >= size(); }
  std::size_t n_sets() const { return sets_.size(); }
  std::size_t size() const { return size_; }                // words of all combinations
  std::size_t first_place() const { return first_place_; }  // columns from here on in the matrix are in sets
  const std::uint16_t* codes(std::size_t row) const { return codes_.data() + row * sets_.size(); }

  // Adds the words of all combinations to the bins of a histogram of the table.
  template <class Word>
  void add_to(const BinnedTable& table, const Word* combinations, Word* histogram) const;

 private:
  struct Set {
    std::uint32_t at = 0;  // where its combinations begin
    std::vector<std::int32_t> columns;
    std::uint32_t n_codes = 1;
  };

  std::vector<Set> sets_;
  HugeVector<std::uint16_t> codes_;  // by rows: for each set, the place of the row's combination
  std::size_t size_ = 0, first_place_ = 0;
};

}  // namespace tw
