// Divides the rows of a node between its branches, words beside them. The order of rows within a branch stays; blocks
// of a fixed size are divided side by side, so the result does not depend on the number of threads.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/workers.hpp"
#include "boost/binned_table.hpp"

namespace tw {

template <class Word>
struct RowsAndWords {
  std::vector<std::uint32_t> rows;
  std::vector<Word> words;
};

template <class Word>
class RowDivider {
 public:
  explicit RowDivider(Workers& workers) : workers_(workers) {}

  // Writes rows begin … end − 1 of `from` to the same places of `to`, branch 0 first. Returns where branch 1 begins.
  std::uint32_t divide(const BinnedColumn& column, std::span<const std::uint8_t> side, std::uint32_t begin,
                       std::uint32_t end, const RowsAndWords<Word>& from, RowsAndWords<Word>& to);

 private:
  Workers& workers_;
  std::vector<std::uint8_t> branch_;
};

}  // namespace tw
