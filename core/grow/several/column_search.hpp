// ColumnSearch: the best division in two of one column at one node, by several targets.
//
// Ordered columns are cut between neighbouring values, or at one place drawn at random. Levels are grouped in every way
// up to ten of them; more of them along the mean (or the share of each class) of each target, and each against the
// rest. Rows without a value are tried on both sides, and whether there is a value is a division of its own.
#pragma once

#include <cstdint>  // for uint32_t
#include <optional>
#include <span>    // for span
#include <vector>  // for vector

#include "grow/candidate.hpp"
#include "grow/several/tallies.hpp"
#include "table/ranks.hpp"

namespace tw {

// A division of a column: what the node would ask. Codes up to `code` go left, or those of `left_levels`.
struct Division {
  Candidate candidate;
  std::uint32_t code = 0, next_code = 0;  // ordered columns: the neighbours of the cut
  double threshold = 0;                   // of a cut that was drawn
  std::vector<std::uint32_t> levels;      // nominal columns: the codes that occur, ascending
};

struct SearchedNode {
  std::span<const std::uint32_t> rows;
  const Tallies& sums;
  std::optional<std::uint64_t> random_key;  // cuts are drawn with it
};

class ColumnSearch {
 public:
  ColumnSearch(const RankedTable& table, const SeveralTargets& targets, const StopRules& stop)
      : table_(table), targets_(targets), stop_(stop), goodness_(targets) {}

  Division search(const SearchedNode& node, std::int32_t column);

 private:
  // The rows of a value, or of a level.
  struct Part {
    std::uint32_t code = 0, begin = 0, end = 0;  // of words_
  };
  void sort_rows(const SearchedNode& node, const RankedColumn& column);
  void add_part(Tallies& to, const Part& part) const;
  void scan_cuts(Best& best, Division& found);
  void draw_cut(std::uint64_t key, const RankedColumn& column, Best& best, Division& found);
  void group_levels(const SearchedNode& node, Best& best, Division& found);
  void try_orders(Best& best, Division& found, const std::vector<Tallies>& levels);
  void try_group(const std::vector<std::uint32_t>& left, std::uint32_t number, const std::vector<Tallies>& levels,
                 Best& best, Division& found);
  void ask_whether_known(Best& best, Division& found);
  // Offers a division of the known rows, with the others on either side; true when it is the best so far.
  bool offer(const Tallies& left, std::uint32_t number, Best& best);
  bool offer_sides(const Tallies& left, std::uint32_t number, bool missing_left, Best& best);

  const RankedTable& table_;
  const SeveralTargets& targets_;
  const StopRules& stop_;
  Goodness goodness_;
  std::int32_t column_ = 0;
  double of_node_ = 0;
  std::uint32_t n_tried_ = 0;
  std::vector<std::uint64_t> words_, other_words_;
  const std::uint64_t* sorted_ = nullptr;
  std::vector<Part> parts_;  // of known values, ascending
  Tallies missing_, known_, left_, right_, joined_;
};

}  // namespace tw
