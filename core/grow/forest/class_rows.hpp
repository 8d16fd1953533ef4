// Class and weight of the rows of a tree for three classes or more. At a node the classes present are numbered anew, so
// that a node of ten rows never pays for 1,000 classes.
#pragma once

#include <algorithm>  // for sort
#include <cstdint>    // for uint16_t
#include <vector>     // for vector

#include "grow/forest/tree_rows.hpp"
#include "grow/forest/tree_weights.hpp"
#include "table/target.hpp"

namespace tw {

class ClassRows {
 public:
  double start_tree(const Target& target, const Draws& draws, const ForestRules& rules) {
    class_.whole() = target.classes;
    place_.assign(target.n_classes, 0);
    const double unit = weigh_rows(target, draws, rules, weight_.whole());
    noise_ = noise_of_a_unit(target, draws, rules, weight_.whole());
    return unit;
  }
  void enter_block(const std::uint32_t* rows, std::uint32_t n) {
    class_.enter_block(rows, n), weight_.enter_block(rows, n);
  }
  void leave_block() { class_.leave_block(), weight_.leave_block(); }

  void gather(const std::uint32_t* rows, std::uint32_t n) {
    local_.resize(n), node_weight_.resize(n);
    present_.clear(), totals_.clear();
    const std::uint16_t* class_of = class_.data();
    const std::int64_t* weight_of = weight_.data();
    for (std::uint32_t i = 0; i < n; ++i) {
      local_[i] = class_of[rows[i]], node_weight_[i] = weight_of[rows[i]];
      if (place_[local_[i]]++ == 0) present_.push_back(local_[i]);
    }
    std::sort(present_.begin(), present_.end());
    for (std::uint32_t k = 0; k < present_.size(); ++k) place_[present_[k]] = k;
    totals_.assign(present_.size(), 0);
    for (std::uint32_t i = 0; i < n; ++i) {
      local_[i] = static_cast<std::uint16_t>(place_[local_[i]]);
      totals_[local_[i]] += node_weight_[i];
    }
    for (const std::uint16_t k : present_) place_[k] = 0;
  }

  double noise() const { return noise_; }  // see noise_of_a_unit
  const std::vector<std::uint16_t>& present() const { return present_; }
  const std::vector<std::int64_t>& totals() const { return totals_; }
  std::uint32_t local(std::uint32_t i) const { return local_[i]; }
  std::int64_t weight(std::uint32_t i) const { return node_weight_[i]; }

 private:
  double noise_ = 1;
  RowNumbers<std::uint16_t> class_;
  RowNumbers<std::int64_t> weight_;
  std::vector<std::uint32_t> place_;
  std::vector<std::uint16_t> present_, local_;
  std::vector<std::int64_t> node_weight_, totals_;
};

}  // namespace tw
