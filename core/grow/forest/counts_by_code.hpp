// CountsByCode: rows, draws and draws of class 1 of every level at a node, for two classes without weights. The three
// share a word, so a row is one addition. All words are 0 between two nodes: only those of levels present are touched.
#pragma once

#include <cstdint>  // for uint64_t
#include <vector>   // for vector

#include "grow/exact/finder/levels_by_rate.hpp"
#include "grow/forest/pair_payload.hpp"

namespace tw {

class CountsByCode {
 public:
  // Fills `to` with the levels present and gives the rows without one. Ascending where most codes may be present, else
  // in the order of the rows.
  PairSum add_up(const std::uint16_t* codes, std::uint32_t n, std::uint32_t n_codes, const CountsInWords& counts,
                 std::vector<LevelSum>& to) {
    if (words_.size() <= n_codes) words_.resize(n_codes + 1, 0);
    to.clear();
    n_codes > 4 * n ? add_few(codes, n, counts, to) : add_many(codes, n, n_codes, counts, to);
    return take(0);
  }

 private:
  PairSum take(std::uint32_t code) {
    const PairSum sum = CountsInWords::unpacked(words_[code]);
    words_[code] = 0;
    return sum;
  }

  void add_many(const std::uint16_t* codes, std::uint32_t n, std::uint32_t n_codes, const CountsInWords& counts,
                std::vector<LevelSum>& to) {
    counts.for_each_packed(n, [&](std::uint32_t i, std::uint64_t packed) { words_[codes[i]] += packed; });
    for (std::uint32_t code = 1; code <= n_codes; ++code)
      if (words_[code]) to.push_back({code, take(code), 0});
  }

  void add_few(const std::uint16_t* codes, std::uint32_t n, const CountsInWords& counts, std::vector<LevelSum>& to) {
    if (present_.size() <= n) present_.resize(n + 1);
    std::uint32_t n_present = 0;
    counts.for_each_packed(n, [&](std::uint32_t i, std::uint64_t packed) {
      std::uint64_t& word = words_[codes[i]];
      present_[n_present] = codes[i];
      n_present += word == 0 && codes[i] != 0;
      word += packed;
    });
    for (std::uint32_t k = 0; k < n_present; ++k) to.push_back({present_[k], take(present_[k]), 0});
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> present_;
};

}  // namespace tw
