// Divides a list stably by a bit per row: words whose row is not marked first, the others after them, or the reverse.
// This is where a fully grown tree spends most of its time, so there is a vector form for processors that have one;
// both give the same bytes.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t, uint64_t

namespace tw {

// Bits are read as bits[row / 32] >> (row % 32). spare must hold n + 16 words.
void divide_list(std::uint32_t* list, std::size_t n, const std::uint32_t* bits, bool marked_first,
                 std::uint32_t* spare);
void divide_list(std::uint64_t* list, std::size_t n, const std::uint32_t* bits, bool marked_first,
                 std::uint64_t* spare);

}  // namespace tw
