// Random divisions for extra trees: one threshold, or one grouping of levels, for a column at a node.
#pragma once

#include <algorithm>  // for max, min, upper_bound, fill
#include <array>      // for array
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

#include "base/counted_random.hpp"
#include "grow/exact/pair_sum.hpp"
#include "grow/forest/column_lanes.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/tree_weights.hpp"
#include "grow/threshold_value.hpp"

namespace tw {

// A number that is uniform between the smallest and the largest at the node, and below the largest.
inline double random_number(const ForestColumn& column, const CodeRange& range, std::uint64_t word) {
  const double low = column.lowest[range.lowest - 1], high = column.highest[range.highest - 1];
  const double share = unit_number(word);
  const double x = low + share * (high - low);
  if (x >= low && x < high) return x;
  const double y = low * (1 - share) + high * share;  // the difference was too large for a double
  return y >= low && y < high ? y : low;
}

// The last code that is on the left of x; at least the node's lowest.
inline std::uint32_t code_left_of(const ForestColumn& column, const CodeRange& range, double x) {
  const CodeGuide::Place place = column.guide.place(x);
  const auto from = column.highest.begin() + place.from, to = column.highest.begin() + place.to;
  const auto code = static_cast<std::uint32_t>(std::upper_bound(from, to, x) - column.highest.begin());
  return std::min(std::max(code, range.lowest), range.highest - 1);
}

// The same as far as the node's rows are concerned: the column is asked only where the guide leaves a row undecided.
inline std::uint32_t code_left_of(const ForestColumn& column, const CodeRange& range, double x,
                                  const std::uint16_t* codes, std::uint32_t n) {
  const CodeGuide::Place place = column.guide.place(x);
  if (any_above_up_to(codes, n, place.from, place.to)) return code_left_of(column, range, x);
  return std::min(std::max(place.from, range.lowest), range.highest - 1);
}

// The threshold to be stored: an ordinal scale has nothing between its levels, and a run of numbers that share a code
// is not divided.
inline double stored_threshold(const ForestColumn& column, std::uint32_t cut, double x) {
  if (column.kind == Kind::ordinal) return column.highest[cut - 1];
  if (x >= column.highest[cut - 1] && x < column.lowest[cut]) return x;
  return midpoint(column.highest[cut - 1], column.lowest[cut]);
}

// Chooses a side for every level present, by its own random bit, until both sides have one. Gives the left codes.
inline void random_levels(const std::vector<std::uint32_t>& present, std::uint64_t key,
                          std::vector<std::uint32_t>& left) {
  for (std::uint64_t round = 0;; ++round) {
    const std::uint64_t stream = stream_key({key, round});
    left.clear();
    for (const std::uint32_t code : present)
      if (drawn(stream, code) >> 63) left.push_back(code);
    if (!left.empty() && left.size() < present.size()) return;
  }
}

// LateThresholds: the threshold of a random cut has to be looked up in a long table, which is far from the processor.
// Nothing below the node depends on it, so it is asked for at once and looked up some nodes later.

class LateThresholds {
 public:
  // The next entry of `thresholds` is the one that belongs to the random number x.
  void push(const ForestColumn& column, const CodeRange& range, double x, std::vector<double>& thresholds) {
    if (n_ == late_.size()) settle(thresholds);
    const CodeGuide::Place place = column.guide.place(x);
    const std::uint32_t end = std::min(place.to, place.from + 8 * kLinesAhead);
    for (std::uint32_t code = place.from; code < end; code += 8) {
      __builtin_prefetch(&column.highest[code]);
      __builtin_prefetch(&column.lowest[code]);
    }
    late_[n_++] = {&column, range, x, thresholds.size()};
    thresholds.push_back(x);
  }

  void settle(std::vector<double>& thresholds) {
    for (std::size_t i = 0; i < n_; ++i) {
      const Late& one = late_[i];
      const std::uint32_t cut = code_left_of(*one.column, one.range, one.x);
      thresholds[one.at] = stored_threshold(*one.column, cut, one.x);
    }
    n_ = 0;
  }

 private:
  static constexpr std::uint32_t kLinesAhead = 4;
  struct Late {
    const ForestColumn* column;
    CodeRange range;
    double x;
    std::size_t at;
  };
  std::array<Late, 16> late_;
  std::size_t n_ = 0;
};

// RandomLanes: one random cut for each of up to 16 columns of a node, and what is left of it (extra trees).

class RandomLanes {
 public:
  std::uint32_t count() const { return columns_.count; }
  std::uint32_t column(std::uint32_t k) const { return columns_.of[k]; }
  const CodeRange& range(std::uint32_t k) const { return ranges_[k]; }
  // Whether add_up() has looked at this lane: no levels, nothing missing, more than one value.
  bool is_cut(std::uint32_t k) const { return is_cut_[k]; }
  std::uint32_t cut(std::uint32_t k) const { return cuts_.cut[k]; }
  double number(std::uint32_t k) const { return numbers_[k]; }
  PairSum left(std::uint32_t k) const { return {sums_.a[k], sums_.b[k], sums_.rows[k]}; }

  void clear() { columns_.count = 0; }
  void add(std::uint32_t column) { columns_.of[columns_.count++] = column; }
  // The lane of a column; count() when it is not there.
  std::uint32_t lane_of(std::uint32_t column) const {
    return static_cast<std::uint32_t>(std::find(columns_.of, columns_.of + count(), column) - columns_.of);
  }
  void copy_codes(std::uint32_t k, std::uint16_t* to) const {
    for (std::uint32_t i = 0; i < n_; ++i) to[i] = picked_[i * kLanes + k];
  }

  // Moves the rows right of a lane's cut behind the others, both in their order; gives how many are left of it.
  std::uint32_t divide(std::uint32_t k, std::uint32_t* rows, std::uint32_t* spare) const {
    const std::uint32_t cut = cuts_.cut[k];
    const std::uint16_t* code = picked_.data() + k;
    std::uint32_t n_left = 0, n_right = 0;
    for (std::uint32_t i = 0; i < n_; ++i, code += kLanes) {
      const std::uint32_t row = rows[i], goes_right = *code > cut;
      rows[n_left] = spare[n_right] = row;
      n_left += 1 - goes_right, n_right += goes_right;
    }
    std::copy(spare, spare + n_right, rows + n_left);
    return n_left;
  }

  // Fetches the rows of a node from a table by rows.
  void pick(const CodeView& view, const std::vector<ForestColumn>& about, const std::uint32_t* rows, std::uint32_t n) {
    n_ = n;
    if (picked_.size() < std::size_t{n} * kLanes) picked_.resize(std::size_t{n} * kLanes);
    std::fill(columns_.of + count(), columns_.of + kLanes, 0u);
    const LaneRanges found = pick_columns({view.base, view.row_step, about.size()}, columns_, rows, n, picked_.data());
    for (std::uint32_t k = 0; k < count(); ++k) {
      ranges_[k] = {found.least_before[k] + 1u, found.highest[k], found.least[k] == 0};
      const ForestColumn& column = about[columns_.of[k]];
      is_cut_[k] = column.ordered() && !ranges_[k].has_missing && !ranges_[k].one_known();
      if (!is_cut_[k]) continue;
      __builtin_prefetch(&column.lowest[ranges_[k].lowest - 1]);
      __builtin_prefetch(&column.highest[ranges_[k].highest - 1]);
    }
  }

  // The cut of column c is drawn with word first_word + c of the stream. words: as for counts_up_to.
  void add_up(const std::vector<ForestColumn>& about, std::uint64_t stream, std::uint64_t first_word,
              const std::uint16_t* words) {
    for (std::uint32_t k = 0; k < kLanes; ++k) {
      cuts_.cut[k] = cuts_.from[k] = cuts_.reach[k] = 0;
      if (k >= count() || !is_cut_[k]) continue;
      const ForestColumn& column = about[columns_.of[k]];
      numbers_[k] = random_number(column, ranges_[k], drawn(stream, first_word + columns_.of[k]));
      const CodeGuide::Place place = column.guide.place(numbers_[k]);
      cuts_.from[k] = static_cast<std::uint16_t>(place.from);
      cuts_.reach[k] = static_cast<std::uint16_t>(place.to - place.from);
      cuts_.cut[k] =
          static_cast<std::uint16_t>(std::min(std::max(place.from, ranges_[k].lowest), ranges_[k].highest - 1));
      if (n_ > kMostGuided) __builtin_prefetch(&column.highest[place.from]);
    }
    if (n_ > kMostGuided) {  // some row of that many will lie where the guide is not enough
      std::fill(sums_.any_open, sums_.any_open + kLanes, std::uint16_t{1});
      look_up(about);
    }
    sums_of_lanes(picked_.data(), words, n_, cuts_, sums_);
    if (n_ <= kMostGuided && look_up(about)) sums_of_lanes(picked_.data(), words, n_, cuts_, sums_);
  }

 private:
  static constexpr std::uint32_t kMostGuided = 256;  // rows

  // Settles the cuts with open rows; false when there were none.
  bool look_up(const std::vector<ForestColumn>& about) {
    bool any = false;
    for (std::uint32_t k = 0; k < count(); ++k) {
      if (!is_cut_[k] || !sums_.any_open[k]) continue;
      cuts_.cut[k] = static_cast<std::uint16_t>(code_left_of(about[columns_.of[k]], ranges_[k], numbers_[k]));
      any = true;
    }
    return any;
  }

  LaneColumns columns_;
  std::uint32_t n_ = 0;
  std::vector<std::uint16_t> picked_;  // kLanes codes a row
  CodeRange ranges_[kLanes];
  bool is_cut_[kLanes] = {};
  double numbers_[kLanes] = {};
  LaneCuts cuts_;
  LaneSums sums_;
};

}  // namespace tw
