// LaneCodes: the ranks of a small block by rows, a row the lanes of a few vectors (lanes.hpp). A code leaves room below
// the rank for the place of a row among those of a node.
//
// Column k is lane k. An ordered column with missing rows has a second lane behind those of all columns: in the first
// its missing rows come before the others, in the second after them. Levels are put in order, but have no cuts.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint16_t
#include <utility>  // for move
#include <vector>   // for vector

namespace tw {

constexpr std::uint32_t kLaneRows = 32;                       // the largest node that is sorted in lanes
constexpr int kSlotBits = 5;                                  // of the place among them
constexpr std::uint32_t kCodedRows = 1u << (16 - kSlotBits);  // the largest block whose ranks fit above
constexpr std::size_t kLaneColumns = 32;                      // columns come in so many: the lanes of the widest vector

class LaneCodes {
 public:
  struct Kind {
    bool ordered = true, has_missing = false;
    std::size_t behind = 0;  // the second lane, where there is one
  };

  // Nothing is kept of a block that is too large.
  void start(std::uint32_t n_rows, std::vector<Kind> kinds) {
    fits_ = n_rows <= kCodedRows;
    if (!fits_) return;
    kinds_ = std::move(kinds);
    n_lanes_ = kinds_.size();
    for (Kind& kind : kinds_)
      if (kind.ordered && kind.has_missing) kind.behind = n_lanes_++;
    stride_ = (n_lanes_ + kLaneColumns - 1) / kLaneColumns * kLaneColumns;
    codes_.assign(n_rows * stride_, 0);
    scored_.assign(stride_, -1);
    for (std::size_t k = 0; k < kinds_.size(); ++k) scored_[k] = kinds_[k].ordered ? -1 : 0;
  }
  bool fits() const { return fits_; }
  std::size_t stride() const { return stride_; }
  std::size_t n_lanes() const { return n_lanes_; }
  std::size_t n_columns() const { return kinds_.size(); }
  const Kind& kind(std::size_t column) const { return kinds_[column]; }
  // By lane: -1 where it has cuts, else 0.
  const std::int32_t* scored() const { return scored_.data(); }

  // rank: 0 is missing.
  void set(std::uint32_t row, std::size_t column, std::uint32_t rank) {
    const Kind& kind = kinds_[column];
    write(row, column, rank - !kind.has_missing);
    if (kind.behind > 0) write(row, kind.behind, rank > 0 ? rank - 1 : kCodedRows - 1);
  }
  std::uint32_t rank(std::uint32_t row, std::size_t column) const {
    return (codes_[row * stride_ + column] >> kSlotBits) + !kinds_[column].has_missing;
  }
  const std::uint16_t* row(std::uint32_t row) const { return codes_.data() + row * stride_; }

 private:
  void write(std::uint32_t row, std::size_t lane, std::uint32_t code) {
    codes_[row * stride_ + lane] = static_cast<std::uint16_t>(code << kSlotBits);
  }

  bool fits_ = false;
  std::size_t stride_ = 0, n_lanes_ = 0;
  std::vector<Kind> kinds_;
  std::vector<std::uint16_t> codes_;
  std::vector<std::int32_t> scored_;
};

}  // namespace tw
