// The two loops of dividing rows, for one block: which branch each row takes, and moving rows and words there. There is
// a vector form of both, chosen at run time, that gives the same bytes.
#pragma once

#include <cstdint>  // for uint8_t, uint32_t

#include "boost/words.hpp"

namespace tw {

// rows: ascending. side: by code, with three bytes more than there are codes. branch: a bit for each row, sixteen to a
// number, the last one filled up with zeros. Returns how many rows take branch 1.
std::uint32_t find_branches(const std::uint8_t* code, std::uint32_t n_codes, const std::uint8_t* side,
                            const std::uint32_t* rows, std::uint32_t n, std::uint16_t* branch);
std::uint32_t find_branches(const std::uint32_t* code, std::uint32_t n_codes, const std::uint8_t* side,
                            const std::uint32_t* rows, std::uint32_t n, std::uint16_t* branch);

// Where the next row of each branch goes.
template <class Word>
struct BranchEnds {
  std::uint32_t* rows[2];
  Word* words[2];
};

void move_rows(const std::uint32_t* rows, const PackedWord* words, std::uint32_t n, const std::uint16_t* branch,
               BranchEnds<PackedWord> to);
void move_rows(const std::uint32_t* rows, const DoubleWord* words, std::uint32_t n, const std::uint16_t* branch,
               BranchEnds<DoubleWord> to);

}  // namespace tw
