// The two loops of dividing rows, for one block: which branch each row takes, and moving rows there.
#pragma once

#include <cstdint>  // for uint8_t, uint32_t
#include <vector>   // for vector

#include "base/workers.hpp"
#include "grow/boost/binned_table.hpp"
#include "grow/boost/boosted_node.hpp"

namespace tw {

// Codes above the last one take branch 1; so does missing (0) where that is said.
struct CodeCut {
  std::uint8_t last = 0;
  bool missing_second = false;
};

// branch: a bit for each row, sixteen to a number, the last one filled up with zeros. Returns how many rows take branch
// 1.
std::uint32_t find_branches(const std::uint8_t* code, CodeCut cut, const std::uint32_t* rows, std::uint32_t n,
                            std::uint16_t* branch);
// side: by code.
std::uint32_t find_branches(const std::uint8_t* code, const std::uint8_t* side, const std::uint32_t* rows,
                            std::uint32_t n, std::uint16_t* branch);
std::uint32_t find_branches(const std::uint32_t* code, const std::uint8_t* side, const std::uint32_t* rows,
                            std::uint32_t n, std::uint16_t* branch);

// Where the next row of each branch goes.
struct BranchEnds {
  std::uint32_t *first, *second;
};

void move_rows(const std::uint32_t* rows, std::uint32_t n, const std::uint16_t* branch, BranchEnds to);

// Divides the rows of a node between its branches. The order of rows within a branch stays; blocks of a fixed size are
// divided side by side, so the result does not depend on the number of threads.

class RowDivider {
 public:
  explicit RowDivider(Workers& workers) : workers_(workers) {}

  // Writes the rows of a node from `from` to the same places of `to`, branch 0 first. Returns where branch 1 begins.
  std::uint32_t divide(const BinnedColumn& column, const BoostedNode& node, const HugeVector<std::uint32_t>& from,
                       HugeVector<std::uint32_t>& to);

 private:
  Workers& workers_;
  std::vector<std::uint16_t> branch_;  // a bit for each row
};

}  // namespace tw
