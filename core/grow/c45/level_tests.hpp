// Tests of a nominal column: one branch for each level, or one level against the rest (J48's -B).
#pragma once

#include <vector>  // for vector

#include "grow/c45/class_table.hpp"
#include "grow/c45/rules.hpp"
#include "grow/c45/worth.hpp"

namespace tw {

class LevelTests {
 public:
  LevelTests(const ClassTable& table, const C45Rules& rules, const Bits& bits)
      : table_(table), rules_(rules), bits_(bits) {}

  C45Worth multiway() const {
    std::size_t large = 0;
    for (std::size_t l = 0; l < table_.n_levels(); ++l) large += is_large(table_.weights[l]);
    if (large < 2) return {};
    double after = 0, sizes = 0;
    for (std::size_t l = 0; l < table_.n_levels(); ++l) {
      const double *level = table_.level(l), size = bits_(table_.weights[l]);
      double inner = 0;
      for (std::size_t k = 0; k < table_.n_classes; ++k) inner += bits_(level[k]);
      after += size - inner;
      sizes += size;
    }
    C45Worth worth;
    worth.usable = true;
    worth.gain = c45_gain(table_.sums, after);
    set_ratio(worth, table_.sums, sizes, bits_);
    return worth;
  }

  // The level with the largest ratio, the first of equals; `place` is its place in the table.
  C45Worth one_against_the_rest() {
    C45Worth best;
    for (std::size_t l = 0; l < table_.n_levels(); ++l) {
      if (!is_large(table_.weights[l]) || !is_large(table_.sums.known - table_.weights[l])) continue;
      const C45Worth worth = one_level(l);
      if (!best.usable || worth.ratio > best.ratio + C45Rules::kTiny) best = worth;
    }
    return best;
  }

 private:
  bool is_large(double weight) const { return weight > rules_.min_weight - C45Rules::kTiny; }

  C45Worth one_level(std::size_t l) {
    const double inside = table_.weights[l], outside = table_.sums.known - inside;
    rest_.resize(table_.n_classes);
    for (std::size_t k = 0; k < table_.n_classes; ++k) rest_[k] = table_.classes[k] - table_.level(l)[k];
    const double after = table_.spread(table_.level(l), inside, bits_) + table_.spread(rest_.data(), outside, bits_);
    C45Worth worth;
    worth.usable = true, worth.place = static_cast<std::uint32_t>(l);
    worth.gain = c45_gain(table_.sums, after);
    set_ratio(worth, table_.sums, bits_(inside) + bits_(outside), bits_);
    return worth;
  }

  const ClassTable& table_;
  const C45Rules& rules_;
  const Bits& bits_;
  std::vector<double> rest_;
};

}  // namespace tw
