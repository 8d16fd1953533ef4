// RandomLanes: one random cut for each of up to 32 columns of a node.
#pragma once

#include <algorithm>  // for find
#include <cstdint>    // for uint32_t, uint64_t
#include <vector>     // for vector

#include "grow/forest/random_cuts/cell_rows.hpp"
#include "grow/forest/random_cuts/lane_loops.hpp"

namespace tw {

template <class Number>
class RandomLanes {
 public:
  std::uint32_t count() const { return count_; }
  std::int32_t column(std::uint32_t k) const { return static_cast<std::int32_t>(columns_[k]); }
  // The lane of a column; count() when it is not there.
  std::uint32_t lane_of(std::int32_t column) const {
    const auto wanted = static_cast<std::uint32_t>(column);
    return static_cast<std::uint32_t>(std::find(columns_, columns_ + count_, wanted) - columns_);
  }
  // Whether the lane has a cut: no levels, nothing missing, more than one value.
  bool is_cut(std::uint32_t k) const { return is_cut_[k] != 0; }
  const std::uint32_t* are_cut() const { return is_cut_; }
  bool any_other() const { return any_other_; }
  bool any_cut() const { return any_cut_; }
  // Lanes in which some rows have no number, and the others more than one.
  bool is_holed(std::uint32_t k) const { return is_holed_[k] != 0; }
  const std::uint32_t* are_holed() const { return is_holed_; }
  bool any_holed() const { return any_holed_; }
  // Lanes that are neither cut nor constant: levels, or rows without a value.
  bool is_other(std::uint32_t k) const { return is_other_[k]; }
  double number(std::uint32_t k) const { return cuts_.number[k]; }
  const Number* last() const { return cuts_.last; }
  const LaneRows<Number>& cells() const { return cells_; }
  Number low(std::uint32_t k) const { return ranges_.low[k]; }
  Number high(std::uint32_t k) const { return ranges_.high[k]; }

  // All columns from `first` on that fit, read where they are.
  void take_all(const CellRows<Number>& about, const LaneRows<Number>& rows, std::uint32_t first) {
    count_ = std::min(kMostLanes, static_cast<std::uint32_t>(about.n_columns) - first);
    for (std::uint32_t k = 0; k < count_; ++k) columns_[k] = first + k;
    cells_ = rows;
    cells_.base += first, cells_.n_groups = groups();
    look(about);
  }

  // Some columns, copied next to each other.
  void take(const CellRows<Number>& about, const LaneRows<Number>& rows, const std::uint32_t* columns,
            std::uint32_t count) {
    count_ = count;
    std::copy_n(columns, count, columns_);
    const std::size_t lanes = groups() * kLanes;
    if (picked_.size() < rows.n * lanes) picked_.resize(rows.n * lanes);
    LaneRows<Number> from = rows;
    from.n_groups = groups();
    pick_columns(from, columns_, count_, picked_.data());
    cells_ = {picked_.data(), lanes, nullptr, rows.n, groups()};
    look(about);
  }

  // The cut of column c is drawn with word first_word + c of the stream.
  void draw(std::uint64_t stream, std::uint64_t first_word) {
    draw_cuts(ranges_, columns_, groups(), stream, first_word, cuts_);
  }

 private:
  std::uint32_t groups() const { return (count_ + kLanes - 1) / kLanes; }

  void look(const CellRows<Number>& about) {
    for (std::uint32_t k = count_; k < groups() * kLanes; ++k) columns_[k] = 0;
    ranges_of(cells_, ranges_);
    any_other_ = any_holed_ = false;
    std::uint32_t any = 0;
    for (std::uint32_t k = 0; k < groups() * kLanes; ++k) any |= is_cut_[k] = ranges_.low[k] < ranges_.high[k];
    any_cut_ = any != 0;
    if (!about.all_plain) find_others(about);
  }

  // Lanes beyond the last column hold nothing but zeros.
  void find_others(const CellRows<Number>& about) {
    any_cut_ = false;
    find_missing(cells_, missing_);
    for (std::uint32_t k = 0; k < groups() * kLanes; ++k) {
      const bool ordered = k >= count_ || about.columns[columns_[k]].ordered(), has_holes = missing_[k] != missing_[k];
      is_other_[k] = !ordered || has_holes;
      is_holed_[k] = ordered & has_holes & (is_cut_[k] != 0);
      if (is_other_[k]) is_cut_[k] = 0;
      any_other_ |= is_other_[k], any_cut_ |= is_cut_[k] != 0, any_holed_ |= is_holed_[k] != 0;
    }
  }

  std::uint32_t count_ = 0;
  alignas(64) std::uint32_t columns_[kMostLanes] = {};
  alignas(64) std::uint32_t is_cut_[kMostLanes] = {};
  alignas(64) std::uint32_t is_holed_[kMostLanes] = {};
  bool is_other_[kMostLanes] = {}, any_other_ = false, any_cut_ = false, any_holed_ = false;
  LaneRows<Number> cells_{};
  LaneRanges<Number> ranges_;
  LaneCuts<Number> cuts_;
  alignas(64) Number missing_[kMostLanes];
  std::vector<Number> picked_;
};

}  // namespace tw
