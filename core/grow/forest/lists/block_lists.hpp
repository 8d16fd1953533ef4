// BlockLists: the ordered columns of a subtree's rows as sorted lists, which every split divides stably. A word is the
// code and the row's number in the subtree (grow/exact/lists.hpp).
#pragma once

#include <algorithm>  // for copy_n
#include <cstddef>    // for size_t
#include <cstdint>    // for uint16_t, uint32_t
#include <vector>     // for vector

#include "base/huge_memory.hpp"
#include "grow/exact/lists.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/sort_codes.hpp"
#include "grow/lists/divide_list.hpp"

namespace tw {

class BlockLists {
 public:
  static constexpr std::uint32_t kMostRows = 65535;

  // codes: of n rows, row by row.
  void fill(const std::uint16_t* codes, std::size_t step, std::uint32_t n, const std::vector<ForestColumn>& columns) {
    n_columns_ = columns.size(), stride_ = n + 16;
    if (words_.size() < n_columns_ * stride_) words_.resize(n_columns_ * stride_);
    spare_.resize(stride_ + 16), side_.resize(n);
    has_list_.assign(n_columns_, 0);
    for (std::size_t c = 0; c < n_columns_; ++c) {
      if (!columns[c].ordered()) continue;
      has_list_[c] = 1;
      std::uint32_t* words = words_.data() + c * stride_;
      for (std::uint32_t i = 0; i < n; ++i) words[i] = make_word<std::uint32_t>(codes[i * step + c], i);
      const std::uint32_t* sorted = sort_by_code(words, spare_.data(), n);
      if (sorted != words) std::copy_n(sorted, n, words);
    }
  }

  bool has_list(std::size_t column) const { return has_list_[column]; }
  const std::uint32_t* list(std::size_t column, std::uint32_t begin) const {
    return words_.data() + column * stride_ + begin;
  }

  // The same with its missing rows at the end. It is good until the next one is asked for.
  const std::uint32_t* missing_behind(const std::uint32_t* list, std::uint32_t n) {
    return tw::missing_behind(list, n, behind_);
  }

  // Divides the lists of n rows from `begin` on; rows: those of branch 0, then the others. wanted: the lists of a
  // branch that nobody asks for are left as they come.
  void divide(std::uint32_t begin, std::uint32_t n, std::uint32_t n_left, const std::uint32_t* rows, Part wanted) {
    for (std::uint32_t i = 0; i < n_left; ++i) side_[rows[i]] = 0;
    for (std::uint32_t i = n_left; i < n; ++i) side_[rows[i]] = 1;
    for (std::size_t c = 0; c < n_columns_; ++c)
      if (has_list_[c])
        divide_list(words_.data() + c * stride_ + begin, n, n_left, side_.data(), false, wanted, spare_.data());
  }

 private:
  std::size_t n_columns_ = 0, stride_ = 0;
  HugeVector<std::uint32_t> words_;
  std::vector<std::uint32_t> spare_, behind_;
  std::vector<std::uint8_t> has_list_, side_;
};

}  // namespace tw
