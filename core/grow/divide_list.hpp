// Divides a list stably by a bit per row: words whose row has bit 0 first, the others after them.
// This is where a fully grown tree spends most of its time, so there is a vector form for processors that have one;
// both give the same bytes.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t, uint64_t

namespace tw {

// Bits are read as bits[row / 32] >> (row % 32). spare must hold n + 16 words. Returns how many went first.
std::size_t divide_list(std::uint32_t* list, std::size_t n, const std::uint32_t* bits, std::uint32_t* spare);
std::size_t divide_list(std::uint64_t* list, std::size_t n, const std::uint32_t* bits, std::uint64_t* spare);

}  // namespace tw
