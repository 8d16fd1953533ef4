// A table of drawn numbers with every kind of column, ties and holes, and targets that depend on it. Only words, sums
// and products are used, so that it is the same on every processor.
#pragma once

#include <cmath>   // for floor
#include <limits>  // for numeric_limits
#include <memory>  // for unique_ptr
#include <vector>  // for vector

#include "draws.hpp"
#include "encode/encode_columns.hpp"
#include "table/column.hpp"
#include "table/target.hpp"

namespace tw::tests {

struct SampleTable {
  Table table;
  std::vector<double> y, rates, two_classes, three_classes;
  Target number_target, rate_target, two_target, three_target;

  SampleTable(std::size_t n_rows, std::uint64_t seed) : draw_(seed) {
    table.n_rows = n_rows;
    hidden_.assign(n_rows, 0);
    for (const double effect : {1.0, -0.7, 0.0}) add_numbers(effect, 0);
    add_numbers(0.5, 64);  // few different values
    add_singles();
    encode();
    for (const std::uint32_t n_levels : {5u, 40u, 700u}) add_levels(n_levels, n_levels == 5);
    add_targets();
  }
  SampleTable(const SampleTable&) = delete;

 private:
  double hole(double x) { return draw_.coin(12) ? std::numeric_limits<double>::quiet_NaN() : x; }

  void add_numbers(double effect, double steps) {
    auto& column = doubles_.emplace_back(new std::vector<double>(table.n_rows));
    for (std::size_t row = 0; row < table.n_rows; ++row) {
      double x = draw_.between(-1, 1) + draw_.between(-1, 1);
      if (steps > 0) x = std::floor(x * steps) / steps;
      hidden_[row] += effect * (x > 0.25 ? x : x * x);
      (*column)[row] = hole(x);
    }
    numbers_.push_back({reinterpret_cast<const char*>(column->data()), 8, NumberType::f64, nullptr});
  }

  void add_singles() {
    singles_.resize(table.n_rows);
    for (float& x : singles_) x = static_cast<float>(hole(draw_.between(0, 1000)));
    numbers_.push_back({reinterpret_cast<const char*>(singles_.data()), 4, NumberType::f32, nullptr});
  }

  void encode() {
    Workers workers(1);
    table.columns = encode_numbers(numbers_, table.n_rows, 4096, workers);
  }

  void add_levels(std::uint32_t n_levels, bool ordered) {
    std::vector<std::int32_t> codes(table.n_rows);
    for (std::size_t row = 0; row < table.n_rows; ++row) {
      codes[row] = static_cast<std::int32_t>(draw_.coin(15) ? 0 : 1 + draw_.below(1 + draw_.below(n_levels)));
      hidden_[row] += codes[row] % 3 == 1 ? 0.8 : 0.1 * (codes[row] % 2);
    }
    const Values values{reinterpret_cast<const char*>(codes.data()), 4, NumberType::i32, nullptr};
    table.columns.push_back(encode_levels(values, 0, table.n_rows, n_levels, ordered));
  }

  void add_targets() {
    std::vector<std::int32_t> two, three;
    for (const double hidden : hidden_) {
      const double noisy = hidden + draw_.between(-0.5, 0.5) + draw_.between(-0.5, 0.5);
      y.push_back(noisy);
      rates.push_back(std::floor(std::max(0.0, noisy * 3)));
      two.push_back(noisy > 1.2), three.push_back((noisy > 0.8) + (noisy > 1.6));
    }
    two_classes.assign(two.begin(), two.end()), three_classes.assign(three.begin(), three.end());
    number_target = make_number_target(y.data(), y.size(), nullptr, false);
    rate_target = make_number_target(rates.data(), rates.size(), nullptr, true);
    two_target = make_class_target(two.data(), two.size(), 2, nullptr);
    three_target = make_class_target(three.data(), three.size(), 3, nullptr);
  }

  Draws draw_;
  std::vector<double> hidden_;  // what the targets depend on
  std::vector<std::unique_ptr<std::vector<double>>> doubles_;
  std::vector<float> singles_;
  std::vector<Values> numbers_;
};

}  // namespace tw::tests
