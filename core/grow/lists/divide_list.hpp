// Divides a list stably: words whose row is not marked first, the others after them, or the reverse. This is where a
// fully grown tree spends most of its time, so there are vector forms for processors that have them; all give the same
// bytes.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t, uint64_t

namespace tw {

// Which part of a list is wanted; the other may hold anything afterwards.
enum class Part : std::uint8_t { both, first, second };

// By a byte a row, 0 or 1. n_first: how many words go first. spare must hold n + 16 words.
void divide_list(std::uint32_t* list, std::size_t n, std::size_t n_first, const std::uint8_t* marks, bool marked_first,
                 Part wanted, std::uint32_t* spare);
// By a bit a row, read as bits[row / 32] >> (row % 32).
void divide_list(std::uint64_t* list, std::size_t n, const std::uint32_t* bits, bool marked_first,
                 std::uint64_t* spare);

}  // namespace tw
