// Settles the order of words whose keys are equal although their numbers may not be (Column::exact_keys is false).
#pragma once

#include <algorithm>  // for stable_sort
#include <cstdint>    // for uint64_t

namespace tw {

// words: sorted by their upper 32 bits; number(word) gives the number behind a word. Missing ones are left alone.
template <class Number, class IsMissing>
void sort_within_keys(std::uint64_t* words, std::size_t n, Number number, IsMissing is_missing) {
  for (std::size_t begin = 0, end; begin < n; begin = end) {
    for (end = begin + 1; end < n && (words[end] >> 32) == (words[begin] >> 32);) ++end;
    if (end - begin == 1 || is_missing(words[begin])) continue;
    std::stable_sort(words + begin, words + end, [&](auto x, auto y) { return number(x) < number(y); });
  }
}

}  // namespace tw
