// Word: one row of one column inside a block, as (rank in the block, row in the block) packed into one integer.
// A list is a column's words in ascending order: a table of counts that streams past one row at a time.
#pragma once

#include <cstdint>  // for uint32_t, uint64_t

namespace tw {

template <class Word>
struct WordParts;

template <>
struct WordParts<std::uint32_t> {  // blocks of at most 65,535 rows
  static constexpr int kShift = 16;
  static constexpr std::uint32_t kMaxRows = 65535;
};
template <>
struct WordParts<std::uint64_t> {
  static constexpr int kShift = 32;
  static constexpr std::uint32_t kMaxRows = 0xfffffff0u;
};

template <class Word>
inline std::uint32_t rank_of(Word word) {
  return static_cast<std::uint32_t>(word >> WordParts<Word>::kShift);
}
template <class Word>
inline std::uint32_t row_of(Word word) {
  if constexpr (sizeof(Word) == 4) return word & 0xffffu;
  return static_cast<std::uint32_t>(word);
}
template <class Word>
inline Word make_word(std::uint32_t rank, std::uint32_t row) {
  return static_cast<Word>(static_cast<Word>(rank) << WordParts<Word>::kShift | row);
}

}  // namespace tw
