// Histograms: the sums of gradients in each bin of each narrow column, in the order of the groups (binned_table.hpp).
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "base/workers.hpp"
#include "grow/boost/binned_table.hpp"
#include "grow/boost/boosted_node.hpp"

namespace tw {

template <class Word>
class HistogramBuilder {
 public:
  HistogramBuilder(const BinnedTable& table, Workers& workers) : table_(table), workers_(workers) {}

  using Histogram = HugeVector<Word>;

  // words: by rows of the table; rows null: the rows are 0 … n − 1. What peers have is added.
  Histogram build(const std::uint32_t* rows, const Word* words, std::size_t n);
  // The sibling: parent − child, in the parent's place.
  static void subtract(Histogram& parent, const Histogram& child);
  void give_back(Histogram&& histogram) { spare_.push_back(std::move(histogram)); }

 private:
  struct Rows {
    const std::uint32_t* rows;
    const Word* words;
  };

  Histogram take();
  Histogram build_own(const std::uint32_t* rows, const Word* words, std::size_t n);
  void add_rows(const Rows& at, std::size_t begin, std::size_t end, Word* to) const;
  void add_rows_jointly(const Rows& at, std::size_t begin, std::size_t end, Word* to, Histogram& joint) const;

  const BinnedTable& table_;
  Workers& workers_;
  std::vector<Histogram> spare_;
  std::vector<Histogram> joint_;  // by worker: what the combinations of joint columns hold
};

}  // namespace tw
