// The levels that a node's rows have, with a small table from code to place.
#pragma once

#include <algorithm>  // for sort
#include <cstdint>    // for uint32_t
#include <vector>     // for vector

namespace tw {

class PresentLevels {
 public:
  // codes: 0 is missing. After this, place(code) counts from 0 among the levels present, which stand in ascending order
  // if that is asked for.
  void find(const std::uint16_t* codes, std::uint32_t n, std::uint32_t n_codes, bool in_order = true) {
    if (place_.size() <= n_codes) place_.resize(n_codes + 1, kAbsent);
    for (const std::uint32_t code : present_) place_[code] = kAbsent;
    present_.clear();
    n_missing_ = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint16_t code = codes[i];
      if (code == 0) {
        ++n_missing_;
      } else if (place_[code] == kAbsent) {
        place_[code] = static_cast<std::uint32_t>(present_.size());
        present_.push_back(code);
      }
    }
    if (!in_order) return;
    std::sort(present_.begin(), present_.end());
    for (std::uint32_t k = 0; k < present_.size(); ++k) place_[present_[k]] = k;
  }

  const std::vector<std::uint32_t>& codes() const { return present_; }
  std::uint32_t place(std::uint32_t code) const { return place_[code]; }
  std::uint32_t n_missing() const { return n_missing_; }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffffu;
  std::vector<std::uint32_t> place_, present_;
  std::uint32_t n_missing_ = 0;
};

}  // namespace tw
