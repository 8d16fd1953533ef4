// CodedTrees: the trees of an ensemble laid out for walking. Every test is a comparison of small whole numbers: rows
// are coded once (column_coder.hpp), and then all trees read the codes.
//
// Nodes stand level by level with the two children side by side, so a step is  node = link + right. Where rows without
// a value (code 0) go right, 1 is taken off the code first, so that 0 becomes the largest number there is. A test by
// levels has a third place behind its two children, which says which levels go right: codes low … low + span − 1 have a
// bit each, or (kSparse) there are `span` ascending entries code << 1 | branch. Other levels go where missing goes.
#pragma once

#include <algorithm>  // for lower_bound
#include <cstddef>    // for size_t
#include <cstdint>    // for uint32_t
#include <variant>    // for variant
#include <vector>     // for vector

#include "ensemble/column_coder.hpp"
#include "ensemble/ensemble.hpp"
#include "ensemble/perfect_tree.hpp"

namespace tw {

constexpr std::uint32_t kLeafLink = 0x80000000u;  // in link: the rest is the number of the leaf within its tree
constexpr std::uint32_t kMissingRight = 1, kByLevels = 2;
constexpr std::uint32_t kSparse = 0x80000000u;  // in link of a set of levels

// Codes of 16 bits and few columns: 8 bytes a node.
struct NarrowNode {
  using Code = std::uint16_t;
  static constexpr std::uint32_t kLargestCode = 0xffff, kMostColumns = 0x3fff;
  std::uint32_t link, test;

  static NarrowNode make(std::uint32_t link, std::uint32_t column, std::uint32_t code, std::uint32_t flags) {
    return {link, code << 16 | column << 2 | flags};
  }
  std::uint32_t column() const { return test >> 2 & 0x3fff; }
  std::uint32_t code() const { return test >> 16; }
  std::uint32_t flags() const { return test & 3; }

  static NarrowNode make_set(std::uint32_t link, std::uint32_t low, std::uint32_t span) {
    return {link, low << 16 | span};
  }
  std::uint32_t low() const { return test >> 16; }
  std::uint32_t span() const { return test & 0xffff; }
};

// Anything else: a column with more than 65,534 different cuts, or a level code beyond.
struct WideNode {
  using Code = std::uint32_t;
  static constexpr std::uint32_t kLargestCode = 0x7fffffff, kMostColumns = 0x3fffffff;
  std::uint32_t link, place, largest_left;

  static WideNode make(std::uint32_t link, std::uint32_t column, std::uint32_t code, std::uint32_t flags) {
    return {link, column << 2 | flags, code};
  }
  std::uint32_t column() const { return place >> 2; }
  std::uint32_t code() const { return largest_left; }
  std::uint32_t flags() const { return place & 3; }

  static WideNode make_set(std::uint32_t link, std::uint32_t low, std::uint32_t span) { return {link, low, span}; }
  std::uint32_t low() const { return place; }
  std::uint32_t span() const { return largest_left; }
};

// Some of the trees, one after the other, with codes of their own.
template <class Node>
struct CodedGroup {
  std::size_t first_tree = 0;
  std::vector<ColumnCoder> coders;  // of the columns that are asked for
  std::vector<Node> nodes;
  std::vector<std::uint32_t> root;   // of each tree
  std::vector<std::uint32_t> depth;  // of each tree
  std::vector<std::uint32_t> words;  // of the sets of levels
  std::vector<PerfectTree> perfect;  // of narrow codes: the first levels of each tree; none where tests are by levels

  std::size_t n_trees() const { return root.size(); }
  bool has_sets() const { return !words.empty(); }

  // Whether the level goes right at a node with kByLevels.
  bool level_goes_right(const Node& node, std::uint32_t code) const;
};

class CodedTrees {
 public:
  explicit CodedTrees(const Ensemble& ensemble);

  using Group = std::variant<CodedGroup<NarrowNode>, CodedGroup<WideNode>>;
  const std::vector<Group>& groups() const { return groups_; }
  std::size_t bytes() const;

 private:
  std::vector<Group> groups_;
};

template <class Node>
bool CodedGroup<Node>::level_goes_right(const Node& node, std::uint32_t code) const {
  const Node& set = nodes[node.link + 2];
  const bool missing_right = node.flags() & kMissingRight;
  const std::uint32_t* begin = words.data() + (set.link & ~kSparse);
  if ((set.link & kSparse) == 0) {
    const std::uint32_t at = code - set.low();
    return at < set.span() ? begin[at / 32] >> (at % 32) & 1 : missing_right;
  }
  const std::uint32_t* end = begin + set.span();
  const std::uint32_t* found = std::lower_bound(begin, end, code << 1);
  return found != end && *found >> 1 == code ? *found & 1 : missing_right;
}

}  // namespace tw
