// A checksum of the arrays of a model: every bit of every number, and how many there are.
#pragma once

#include <bit>          // for bit_cast
#include <cstdint>      // for uint64_t
#include <type_traits>  // for is_floating_point_v
#include <vector>       // for vector

#include "base/counted_random.hpp"
#include "ensemble/small_tree.hpp"
#include "tree/tree.hpp"

namespace tw::tests {

class Checksum {
 public:
  std::uint64_t value() const { return sum_; }

  template <class T>
  Checksum& add(const std::vector<T>& numbers) {
    take(numbers.size());
    for (const T& number : numbers)
      if constexpr (std::is_floating_point_v<T>)
        take(std::bit_cast<std::uint64_t>(static_cast<double>(number)));
      else
        take(static_cast<std::uint64_t>(number));
    return *this;
  }

  Checksum& add(const Tree& tree) {
    add(tree.n_children).add(tree.kind).add(tree.column).add(tree.threshold).add(tree.missing_branch);
    add(tree.level_start).add(tree.level).add(tree.level_branch).add(tree.n_rows);
    add(tree.weight).add(tree.impurity).add(tree.gain);
    add(tree.count_start).add(tree.count_class).add(tree.count_weight).add(tree.prediction).add(tree.value);
    for (const auto& [name, numbers] : tree.extras) add(numbers);
    for (const NodeList& list : tree.lists) {
      add(list.start);
      for (const auto& [name, numbers] : list.fields) add(numbers);
    }
    return *this;
  }

  Checksum& add(const SmallTree& tree) {
    add(tree.test).add(tree.column).add(tree.threshold).add(tree.gain);
    add(tree.level_start).add(tree.level).add(tree.level_branch);
    add(tree.n_rows).add(tree.weight).add(tree.impurity).add(tree.value);
    return add(tree.count_start).add(tree.count_class).add(tree.count_weight);
  }

 private:
  void take(std::uint64_t word) { sum_ = mixed(sum_ + kGolden + word); }

  std::uint64_t sum_ = 0;
};

}  // namespace tw::tests
