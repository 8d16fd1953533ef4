// Sorts words whose upper half is a 16-bit code by that code; equal codes keep their order. Two passes of eight bits,
// each left out where all words share the digit.
#pragma once

#include <algorithm>  // for sort
#include <array>      // for array
#include <bit>        // for bit_width
#include <cstdint>    // for uint32_t
#include <cstring>    // for memset
#include <utility>    // for swap
#include <vector>     // for vector

#include "grow/exact/lists.hpp"
#include "grow/exact/table_search.hpp"
#include "grow/forest/all_pairs.hpp"
#include "grow/forest/forest_codes.hpp"

namespace tw {

// Word: (code, anything). The result lies where the returned pointer says: in words or in other.
template <class Word>
Word* sort_by_code(Word* words, Word* other, std::size_t n) {
  constexpr int kShift = WordParts<Word>::kShift;
  std::uint32_t low[256], high[256];
  std::memset(low, 0, sizeof low), std::memset(high, 0, sizeof high);
  for (std::size_t i = 0; i < n; ++i) {
    const auto code = static_cast<std::uint32_t>(words[i] >> kShift);
    ++low[code & 255], ++high[code >> 8];
  }
  auto pass = [&](std::uint32_t* start, int shift) {
    if (start[(words[0] >> shift) & 255] == n) return;
    std::uint32_t sum = 0;
    for (int b = 0; b < 256; ++b) {
      const std::uint32_t count = start[b];
      start[b] = sum, sum += count;
    }
    for (std::size_t i = 0; i < n; ++i) other[start[(words[i] >> shift) & 255]++] = words[i];
    std::swap(words, other);
  };
  pass(low, kShift);
  pass(high, kShift + 8);
  return words;
}

// The same for up to kMostPairs words that all differ: by their ranks.
inline std::uint32_t* sort_few(std::uint32_t* words, std::uint32_t* other, std::uint32_t n) {
  alignas(64) std::uint32_t ranks[kPairsRoom];
  ranks_of(words, n, ranks);
  for (std::uint32_t i = 0; i < n; ++i) other[ranks[i]] = words[i];
  return other;
}

// The best threshold of an ordered column at a large node: exact splits at histogram price, as for a single tree
// (grow/finder/threshold_in_table.hpp). Codes are counted in at most 255 buckets, the cuts at their edges are scored,
// and only buckets in which a cut could still win are opened: their rows are sorted and scored one by one.

class CodeBuckets {
 public:
  // Counts the rows of a node. Sums: see pair_payload.hpp.
  template <class Sums>
  void count(const std::uint16_t* codes, std::uint32_t n, const CodeRange& range, const Sums& sums) {
    lowest_ = range.lowest;
    const std::uint32_t most = n < kFewestForMany ? 63 : 255;  // buckets: few where there are few rows to a bucket
    const int bits = std::bit_width(range.highest - range.lowest), most_bits = std::bit_width(most);
    shift_ = bits > most_bits ? bits - most_bits : 0;
    if (((range.highest - range.lowest) >> shift_) >= most) ++shift_;
    table_.assign(2 + ((range.highest - range.lowest) >> shift_), PairSum{});
    const std::uint32_t lowest = lowest_;
    const int shift = shift_;
    if (range.has_missing)
      sums.count_buckets(codes, n, [=](std::uint32_t c) { return c ? ((c - lowest) >> shift) + 1 : 0; }, table_);
    else
      sums.count_buckets(codes, n, [=](std::uint32_t c) { return ((c - lowest) >> shift) + 1; }, table_);
  }

  const PairSum& missing() const { return table_[0]; }

  template <class Criterion, class Sums>
  void find(const std::uint16_t* codes, std::uint32_t n, const Sums& sums, const PairView& view,
            const Criterion& criterion, std::int32_t k, Best& best) {
    const std::uint32_t cut_before = best.get().cut;
    const bool held = best.get().column == k;
    find_edge(table_, view, criterion, k, best);
    Candidate& winner = best.get();
    if (winner.column == k && !winner.known_or_missing && !(held && winner.cut == cut_before))
      winner.bucket = lowest_ + (winner.bucket << shift_) - 1;  // the last code of the bucket that the cut closes
    if (shift_ == 0 || !mark_open_buckets(table_, view, criterion, best.reach(), open_)) return;
    if (words_.size() < n) words_.resize(n), other_.resize(n);
    n_open_ = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      words_[n_open_] = make_word<std::uint64_t>(codes[i], sums.word(i));
      n_open_ += open_[bucket_of(codes[i])];
    }
    look_inside(sorted(), sums.payload(), view, criterion, k, best);
  }

 private:
  static constexpr std::uint32_t kFewestForMany = 2000;  // rows

  const std::uint64_t* sorted() {
    if (n_open_ > 64) return sort_by_code(words_.data(), other_.data(), n_open_);
    std::sort(words_.begin(), words_.begin() + n_open_);
    return words_.data();
  }

  std::uint32_t bucket_of(std::uint32_t code) const { return code ? ((code - lowest_) >> shift_) + 1 : 0; }

  template <class Criterion, class Payload>
  void look_inside(const std::uint64_t* words, const Payload& payload, const PairView& view, const Criterion& criterion,
                   std::int32_t k, Best& best) {
    for_each_placement(view, table_[0], criterion, [&](const TwoSides<Criterion>& sides) {
      PairSum before = sides.start;  // everything left of the bucket
      std::uint32_t known_before = 0, bucket = 1;
      for (std::size_t i = 0; i < n_open_;) {
        const std::uint32_t here = bucket_of(rank_of(words[i]));
        for (; bucket < here; ++bucket) before += table_[bucket], known_before += table_[bucket].rows;
        PairSum left = before;
        const std::size_t end = i + table_[here].rows;
        for (std::uint32_t known = known_before + 1; i < end; ++i, ++known) {
          left += PairSum{payload.a(row_of(words[i])), payload.b(row_of(words[i])), 1};
          if (i + 1 == end || rank_of(words[i]) == rank_of(words[i + 1]) || !sides.allowed(left)) continue;
          const double score = sides.score(left);
          if (score < best.reach() || !best.offer(score, k, known, sides.missing_left)) continue;
          best.get().kind = CutKind::threshold;
          best.get().bucket = rank_of(words[i]);
        }
      }
    });
  }

  std::uint32_t lowest_ = 1;
  int shift_ = 0;
  CountTable table_;
  std::array<bool, 256> open_;
  std::vector<std::uint64_t> words_, other_;
  std::uint32_t n_open_ = 0;
};

}  // namespace tw
