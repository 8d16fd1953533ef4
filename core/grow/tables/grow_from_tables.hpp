// DrawnColumns: which columns a node looks at. All of them, or a few drawn at random, as the trees of a forest do: the
// options "max_features" (how many) and "draw_seed" of the recipe. If none of the drawn ones gives a split, as many
// others are drawn, until there are no more. What is drawn is a function of the seed and the node's number.
#pragma once

#include <algorithm>  // for min, sort
#include <cstdint>    // for int32_t
#include <span>       // for span
#include <utility>    // for swap
#include <vector>     // for vector

#include "base/counted_random.hpp"
#include "base/workers.hpp"
#include "grow/recipe.hpp"
#include "grow/tables/splitter.hpp"
#include "tree/tree.hpp"

namespace tw {

class DrawnColumns {
 public:
  DrawnColumns(const Options& options, std::span<const std::int32_t> columns, std::size_t node)
      : left_(columns.begin(), columns.end()), at_once_(columns.size()) {
    if (!options.has("max_features")) return;
    at_once_ = static_cast<std::size_t>(options.number("max_features"));
    if (at_once_ >= left_.size()) return;
    const std::uint64_t stream = stream_key({static_cast<std::uint64_t>(options.number("draw_seed")), node});
    for (std::size_t i = 0; i + 1 < left_.size(); ++i)
      std::swap(left_[i], left_[i + below(drawn(stream, i), left_.size() - i)]);
    for (std::size_t begin = 0; begin < left_.size(); begin += at_once_)
      std::sort(left_.begin() + std::ptrdiff_t(begin), left_.begin() + std::ptrdiff_t(end_of(begin)));
  }

  bool more() const { return begin_ < left_.size(); }

  // The next ones to look at, ascending.
  std::span<const std::int32_t> next() {
    const std::size_t begin = begin_;
    begin_ = end_of(begin);
    return std::span(left_).subspan(begin, begin_ - begin);
  }

 private:
  std::size_t end_of(std::size_t begin) const { return std::min(begin + at_once_, left_.size()); }

  std::vector<std::int32_t> left_;
  std::size_t at_once_, begin_ = 0;
};

// The growth loop for every algorithm that reads tables of counts: look at each column of a node, let the splitter
// choose, divide the rows, go on with the children. docs/design.md, "Growing from tables".

Tree grow_from_tables(const Table& table, const Target& target, std::span<const std::uint32_t> rows,
                      const Recipe& recipe, Splitter& splitter, Workers& workers);

}  // namespace tw
