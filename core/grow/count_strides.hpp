// Counts the rows of class 1 in each stride of 32 words of a list, where the block numbers its rows class 0 first.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t

namespace tw {

constexpr std::uint32_t kStride = 32;

void count_class_1(const std::uint32_t* list, std::size_t n_strides, std::uint32_t n_class_0, std::uint8_t* counts);

}  // namespace tw
