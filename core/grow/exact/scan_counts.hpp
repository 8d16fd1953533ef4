// The innermost test of a scan over two classes without weights, sixteen rows at a time: which of the next cuts may
// reach the goal, by the quadratic form of criterion/pair.hpp.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t

namespace tw {

struct CountScan {
  double a = 0, b = 0;  // weight and class-1 weight on the left before the first of the words
  double mean = 0, quadratic = 0, level = 0, whole = 0;
  std::uint32_t n_class_0 = 0;
};

struct CountHits {
  std::uint32_t may_reach = 0;  // bit i: the cut after word i
  std::uint32_t class_1 = 0;    // bit i: the row of word i is of class 1
};

// n is at most 16.
CountHits scan_counts(const std::uint32_t* words, std::uint32_t n, const CountScan& scan);

// Counts the rows of class 1 in each stride of 32 words of a list, where the block numbers its rows class 0 first.

constexpr std::uint32_t kStride = 32;

void count_class_1(const std::uint32_t* list, std::size_t n_strides, std::uint32_t n_class_0, std::uint8_t* counts);

}  // namespace tw
