// BlockSearch: what a block of rows is searched by; it alone knows the target and the criterion. The growing loop asks
// it once a node, so that the loop is compiled once and not for every criterion.
#pragma once

#include <cstdint>  // for uint32_t
#include <memory>   // for unique_ptr
#include <vector>   // for vector

#include "grow/candidate.hpp"
#include "grow/exact/lists.hpp"
#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"
#include "table/target.hpp"

namespace tw {

template <class Word>
class BlockSearch {
 public:
  virtual ~BlockSearch() = default;

  // Chooses the numbers of the rows inside the block and keeps what the scans need of them.
  virtual void number_rows(std::vector<std::uint32_t>& rows) = 0;
  // Writes the summary of the rows of a node.
  virtual void describe(GrowingNode& s, Arena& arena, const Word* words, std::uint32_t n,
                        const std::vector<std::uint32_t>& rows) = 0;
  // Whether sums say everything, so that the largest child is what the others leave over.
  virtual bool describes_by_difference() const = 0;
  virtual void describe_sums(GrowingNode& s) const = 0;
  virtual std::int64_t weight_of(const Word* words, std::uint32_t n) const = 0;
  // The best split: its `column` is a list number, its levels are block ranks. Where `each` is given, the best of every
  // column goes into it.
  virtual Candidate find(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, const GrowingNode& s,
                         const Arena& arena, std::vector<Candidate>* each) = 0;

  // The same search for narrow blocks.
  virtual std::unique_ptr<BlockSearch<std::uint32_t>> narrow() const = 0;

  // Whether nodes of few rows may ever be searched in lanes,
  virtual bool has_lanes() const = 0;
  // whether such a node of few rows, all columns ordered and known, may be searched in lanes (finder/cut_in_lanes.hpp).
  virtual bool fits_lanes(const GrowingNode& s) const = 0;
  // The same as find() for it. words: its rows; they are put into the order of the column that is found.
  virtual Candidate find_in_lanes(const Lists<Word>& lists, Word* words, std::uint32_t n, const GrowingNode& s,
                                  const Arena& arena) = 0;
};

// A search that is written for words of any width, at one of them.
template <class Word, class Search>
class SearchAt final : public BlockSearch<Word> {
 public:
  SearchAt(const Target& target, const Recipe& recipe) : target_(target), recipe_(recipe), search_(target, recipe) {}

  std::unique_ptr<BlockSearch<std::uint32_t>> narrow() const override {
    return std::make_unique<SearchAt<std::uint32_t, Search>>(target_, recipe_);
  }
  bool has_lanes() const override { return kHasLanes; }

  void number_rows(std::vector<std::uint32_t>& rows) override { search_.number_rows(rows); }
  void describe(GrowingNode& s, Arena& arena, const Word* words, std::uint32_t n,
                const std::vector<std::uint32_t>& rows) override {
    search_.describe(s, arena, words, n, rows);
  }
  bool describes_by_difference() const override { return Search::kDescribesByDifference; }
  void describe_sums(GrowingNode& s) const override { search_.describe_sums(s); }
  std::int64_t weight_of(const Word* words, std::uint32_t n) const override {
    std::int64_t sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) sum += search_.weight(row_of(words[i]));
    return sum;
  }
  Candidate find(const Lists<Word>& lists, std::uint32_t begin, std::uint32_t n, const GrowingNode& s,
                 const Arena& arena, std::vector<Candidate>* each) override {
    return search_.find(lists, begin, n, s, arena, each);
  }
  bool fits_lanes(const GrowingNode& s) const override {
    if constexpr (kHasLanes) return search_.fits_lanes(s);
    return false;
  }
  Candidate find_in_lanes(const Lists<Word>& lists, Word* words, std::uint32_t n, const GrowingNode& s,
                          const Arena& arena) override {
    if constexpr (kHasLanes) return search_.find_in_lanes(lists, words, n, s, arena);
    return {};
  }

 private:
  static constexpr bool kHasLanes = requires(const Search& search, const GrowingNode& s) { search.fits_lanes(s); };
  const Target& target_;
  const Recipe& recipe_;
  Search search_;
};

}  // namespace tw
