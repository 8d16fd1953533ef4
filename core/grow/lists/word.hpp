// Word: one row of one column inside a block, as (rank in the block, row in the block) packed into one integer.
// A list is a column's words in ascending order: a table of counts that streams past one row at a time.
#pragma once

#include <algorithm>  // for find_if, rotate_copy
#include <cstdint>    // for uint32_t, uint64_t
#include <vector>     // for vector

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

// A sorted list whose missing rows, those of rank 0, come first: the same list with these rows at the end, in `room`.
// Up to kWordsBeyond words behind it may be read.
constexpr std::uint32_t kWordsBeyond = 16;
template <class Word>
const Word* missing_behind(const Word* list, std::uint32_t n, std::vector<Word>& room) {
  if (room.size() < n + kWordsBeyond) room.resize(n + kWordsBeyond);
  const Word* known = std::find_if(list, list + n, [](Word word) { return rank_of(word) != 0; });
  std::rotate_copy(list, known, list + n, room.data());
  return room.data();
}

}  // namespace tw
