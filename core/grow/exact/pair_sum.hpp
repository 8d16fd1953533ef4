// PairSum: the mergeable summary of a set of rows for two classes or a numeric target, in exact integers.
// Payloads say where the summary of one row comes from.
#pragma once

#include <cstdint>  // for int64_t
#include <vector>   // for vector

namespace tw {

struct PairSum {
  std::int64_t a = 0;  // weight
  std::int64_t b = 0;  // weight of class 1, or weighted sum of the target
  std::uint32_t rows = 0;

  PairSum& operator+=(const PairSum& o) {
    a += o.a, b += o.b, rows += o.rows;
    return *this;
  }
  PairSum& operator-=(const PairSum& o) {
    a -= o.a, b -= o.b, rows -= o.rows;
    return *this;
  }
  friend PairSum operator+(PairSum x, const PairSum& y) { return x += y; }
  friend PairSum operator-(PairSum x, const PairSum& y) { return x -= y; }
};

// Two classes, every weight 1: the block numbers its rows class 0 first, so the number tells the class.
struct ClassByRow {
  static constexpr bool kCounts = true;
  std::uint32_t n_class_0 = 0;
  std::int64_t a(std::uint32_t) const { return 1; }
  std::int64_t b(std::uint32_t row) const { return row >= n_class_0; }
};

struct UnitValues {
  static constexpr bool kCounts = false;
  const std::int64_t* values = nullptr;
  std::int64_t a(std::uint32_t) const { return 1; }
  std::int64_t b(std::uint32_t row) const { return values[row]; }
};

struct WeightedValues {
  static constexpr bool kCounts = false;
  const std::int64_t* weights = nullptr;
  const std::int64_t* values = nullptr;
  std::int64_t a(std::uint32_t row) const { return weights[row]; }
  std::int64_t b(std::uint32_t row) const { return values[row]; }
};

}  // namespace tw
