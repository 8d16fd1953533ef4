// BlendedTrees: some small trees with the bytes that their tests compare.
//
// No row walks here. Every test of a tree is made for all rows of a block at once, from the bottom up: the leaf below a
// node is that below its left child or that below its right one. Bytes are compared and blended, as many at once as a
// vector holds, so 63 tests cost less than the six steps of a walk. The answers of a test by levels are looked up row
// by row and then compared like codes.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint8_t
#include <span>     // for span
#include <vector>   // for vector

#include "ensemble/byte_coder.hpp"
#include "ensemble/flat_trees.hpp"
#include "ensemble/small_tree.hpp"

namespace tw {

constexpr std::size_t kBlendedRows = 256;  // of a block: their codes, and what is blended, stay in the first cache

// Where the codes of a block, its levels, the answers of tests by levels and blended leaves are kept.
class BlendingRoom {
 public:
  struct Size {
    std::size_t columns = 0, level_columns = 0, level_tests = 0, slots = 1;
  };
  void fit(const Size& size);

  std::int8_t* codes(std::size_t column) { return bytes_ + column * kBlendedRows; }
  std::int8_t* missing_above(std::size_t column) { return codes(size_.columns + column); }
  std::int8_t* answers(std::size_t test) { return codes(2 * size_.columns + test); }
  std::uint8_t* slot(std::size_t i) { return slots_ + i * kBlendedRows; }
  std::uint32_t* levels(std::size_t column) { return levels_.data() + column * kBlendedRows; }

  // What tests compare. By 2 · column + missing goes right: the codes where rows without a value are below all cuts, or
  // above; then the answers of the tests by levels of a tree.
  std::vector<const std::int8_t*> compared;

 private:
  Size size_;
  std::vector<std::int8_t> room_;
  std::int8_t* bytes_ = nullptr;  // at the start of a line of the cache
  std::uint8_t* slots_ = nullptr;
  std::vector<std::uint32_t> levels_;
};

class BlendedTrees {
 public:
  static constexpr std::size_t kMostLeaves = 256;

  // trees: none with more leaves than kMostLeaves; fit: whether no column has too many cuts.
  static bool fit(std::span<const SmallTree> trees, std::size_t n_columns);
  BlendedTrees(std::span<const SmallTree> trees, std::size_t n_columns);

  std::size_t bytes() const;

  // Codes a block: rows first … first + n − 1, n ≤ kBlendedRows.
  void code(const Frame& frame, std::size_t first, std::size_t n, BlendingRoom& room) const;
  // The numbers of the leaves of tree `tree` where the rows of the block end.
  const std::uint8_t* leaves(std::size_t tree, BlendingRoom& room) const;

 private:
  // What one pass over the block does: one test, or a test and those of its two children.
  enum Kind : std::uint8_t { two_leaves, left_leaf, right_leaf, two_slots, four_leaves, four_slots };
  struct Pass {
    std::int8_t largest_left[3];     // the test itself, its left child, its right child
    std::uint32_t compared[3];       // places in BlendingRoom::compared
    std::uint16_t slot, operand[4];  // where the answer goes; slots, or numbers of leaves
  };
  struct Run {
    Kind kind;
    std::uint16_t n_passes;
  };
  struct LevelTest {
    std::uint32_t column, set;  // of level_columns_; of sets_
  };
  struct Program {
    std::size_t first_pass, first_run, n_runs, first_level_test, n_level_tests;
    std::uint16_t answer;  // its slot
  };
  class Compiler;

  template <Kind kKind>
  static void run(const Pass* pass, std::size_t n, BlendingRoom& room);

  std::vector<ByteCoder> coders_;
  std::vector<std::int32_t> level_columns_;
  LevelSets sets_;
  std::vector<LevelTest> level_tests_;
  std::vector<Pass> passes_;
  std::vector<Run> runs_;
  std::vector<Program> programs_;
  BlendingRoom::Size size_;
};

}  // namespace tw
