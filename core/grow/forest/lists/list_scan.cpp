#include "grow/forest/lists/list_scan.hpp"

#include <algorithm>  // for max, min
#include <bit>        // for bit_cast

#include "base/vectors.hpp"

namespace tw {

float largest_score(const std::uint32_t* list, const std::int64_t* packed, std::uint32_t first, std::uint32_t last,
                    float whole) {
  constexpr std::uint32_t kChunk = 512;
  alignas(64) std::int64_t sums[kChunk];
  return with_widest_vectors([&]() TW_INLINE_LOOP {
    std::int64_t sum = 0;
    for (std::uint32_t i = 0; i < first; ++i) sum += packed[list[i] & 0xffff];
    std::int32_t largest = 0;  // floats that are not below 0 are in the order of their bits
    for (std::uint32_t begin = first; begin < last; begin += kChunk) {
      const std::uint32_t n = std::min(kChunk, last - begin);
      const std::uint32_t* words = list + begin;
      for (std::uint32_t i = 0; i < n; ++i) sums[i] = sum += packed[words[i] & 0xffff];
      for (std::uint32_t i = 0; i < n; ++i) {
        const auto distance = static_cast<float>(static_cast<std::int32_t>(sums[i] >> 32));
        const auto weight = static_cast<float>(static_cast<std::int32_t>(sums[i] & (kMostListWeight - 1)));
        const float score = distance * distance / (weight * (whole - weight));
        const bool differs = ((words[i] ^ words[i + 1]) >> 16) != 0;
        largest = std::max(largest, differs ? std::bit_cast<std::int32_t>(score) : 0);
      }
    }
    return std::bit_cast<float>(largest);
  });
}

}  // namespace tw
