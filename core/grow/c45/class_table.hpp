// ClassTable: a table of counts in weights instead of units: the class weights at each level (or value, ascending) that
// occurs among a node's known rows.
#pragma once

#include <cstddef>  // for size_t
#include <vector>   // for vector

#include "grow/c45/worth.hpp"
#include "grow/tables/column_counts.hpp"

namespace tw {

struct ClassTable {
  std::size_t n_classes = 0;
  std::vector<double> cells;    // levels × classes
  std::vector<double> weights;  // of each level
  std::vector<double> classes;  // of all known rows
  C45Sums sums;

  std::size_t n_levels() const { return n_levels_; }
  const double* level(std::size_t l) const { return cells.data() + l * n_classes; }

  void take(const ColumnCounts& counts, double unit, const Bits& bits) {
    n_classes = counts.n_classes, n_levels_ = counts.size();
    if (cells.size() < counts.classes.size()) cells.resize(counts.classes.size());
    if (weights.size() < n_levels_) weights.resize(n_levels_);
    classes.resize(n_classes);
    for (std::size_t i = 0; i < counts.classes.size(); ++i) cells[i] = double(counts.classes[i]) * unit;
    for (std::size_t l = 0; l < n_levels_; ++l) weights[l] = double(counts.weight[l]) * unit;
    for (std::size_t k = 0; k < n_classes; ++k) classes[k] = double(counts.known.classes[k]) * unit;
    sums.known = double(counts.known.weight) * unit;
    sums.missing = double(counts.missing.weight) * unit;
    sums.total = double(counts.known.weight + counts.missing.weight) * unit;
    sums.base = spread(classes.data(), sums.known, bits);
  }

  // Weight × entropy of some rows.
  double spread(const double* of_classes, double weight, const Bits& bits) const {
    double inner = 0;
    for (std::size_t k = 0; k < n_classes; ++k) inner += bits(of_classes[k]);
    return bits(weight) - inner;
  }

 private:
  std::size_t n_levels_ = 0;  // the memory behind may be longer: it is kept from node to node
};

}  // namespace tw
