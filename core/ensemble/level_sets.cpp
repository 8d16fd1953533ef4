#include "ensemble/level_sets.hpp"

namespace tw {

// Bits, unless they take much more room than the levels themselves.
std::uint32_t LevelSets::add(const SmallTree& tree, std::size_t which, bool missing_right) {
  const std::size_t begin = tree.level_start[which], end = tree.level_start[which + 1];
  const std::uint32_t low = tree.level[begin], span = tree.level[end - 1] - low + 1;
  const auto start = static_cast<std::uint32_t>(words_.size());
  const std::size_t n_words = span / 32 + 1;
  const auto number = static_cast<std::uint32_t>(sets_.size());
  if (n_words > end - begin + 32) {
    for (std::size_t k = begin; k < end; ++k) words_.push_back(tree.level[k] << 1 | tree.level_branch[k]);
    words_.push_back(missing_right);
    sets_.push_back({start, 0, static_cast<std::uint32_t>(end - begin), true});
    return number;
  }
  words_.resize(start + n_words, missing_right ? 0xffffffffu : 0);
  for (std::size_t k = begin; k < end; ++k) {
    const std::uint32_t bit = tree.level[k] - low;
    std::uint32_t& word = words_[start + bit / 32];
    word = tree.level_branch[k] ? word | 1u << (bit % 32) : word & ~(1u << (bit % 32));
  }
  sets_.push_back({start, low, span, false});
  return number;
}

std::uint32_t LevelSets::listed_right(const Set& set, std::uint32_t level) const {
  const std::uint32_t *begin = words_.data() + set.start, *end = begin + set.span;
  const std::uint32_t* found = std::lower_bound(begin, end, level << 1);
  return found != end && *found >> 1 == level ? *found & 1 : *end;
}

std::uint32_t LevelSets::goes_right(std::uint32_t number, double x) const {
  const Set& set = sets_[number];
  const std::uint32_t level = level_of(x);
  return set.sparse ? listed_right(set, level) : bit_of(set, words_.data() + set.start, level);
}

void LevelSets::go_right(std::uint32_t number, const std::uint32_t* levels, std::size_t n, std::int8_t* right) const {
  const Set set = sets_[number];
  const std::uint32_t* words = words_.data() + set.start;
  if (set.sparse)
    for (std::size_t i = 0; i < n; ++i) right[i] = static_cast<std::int8_t>(listed_right(set, levels[i]));
  else
    for (std::size_t i = 0; i < n; ++i) right[i] = static_cast<std::int8_t>(bit_of(set, words, levels[i]));
}

}  // namespace tw
