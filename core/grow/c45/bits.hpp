// w log2 w: what every entropy, gain and split information is made of.
#pragma once

#include <cmath>    // for log2
#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

namespace tw {

// Whole weights are looked up: unless values are missing or rows have weights of their own, all weights are whole.
class Bits {
 public:
  explicit Bits(std::size_t largest) : table_(largest + 1) {
    for (std::size_t w = 0; w <= largest; ++w) table_[w] = slow(static_cast<double>(w));
  }

  // Of a whole weight that is in the table.
  double of_whole(std::int64_t w) const { return table_[w]; }
  std::int64_t largest() const { return static_cast<std::int64_t>(table_.size()) - 1; }

  double operator()(double w) const {
    const auto whole = static_cast<std::size_t>(w);
    return static_cast<double>(whole) == w && whole < table_.size() ? table_[whole] : slow(w);
  }

 private:
  static double slow(double w) { return w < 1e-6 ? 0 : w * std::log2(w); }
  std::vector<double> table_;
};

}  // namespace tw
